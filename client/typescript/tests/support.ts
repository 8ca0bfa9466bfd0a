// SPDX-License-Identifier: Apache-2.0
//
// A real server for the tests; QD_SERVER is its program. And a proxy that cuts connections.
import { fileURLToPath } from "node:url";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { connect as connectTcp, createServer, type AddressInfo, type Server as TcpServer, type Socket } from "node:net";
import { createInterface } from "node:readline";

export const YARD = { bounds: [0, 0, 100, 100], step: true };
/** The root of the package. */
export const PACKAGE = fileURLToPath(new URL("../..", import.meta.url));

/** The next line that a process prints. */
export async function firstLine(child: ChildProcess): Promise<string> {
  const lines = createInterface({ input: child.stdout! });
  const [line] = await once(lines, "line") as [string];
  return line;
}

export class Server {
  address = "";
  private readonly process: ChildProcess;

  private constructor(options: string[]) {
    const program = process.env.QD_SERVER;
    if (!program) throw new Error("QD_SERVER is not set; must be the path of quadrille-server");
    this.process = spawn(program, ["--listen", "127.0.0.1:0", "--log-level", "error", ...options],
      { stdio: ["ignore", "pipe", "inherit"] });
  }

  static async start(...options: string[]): Promise<Server> {
    const server = new Server(options);
    server.address = (await firstLine(server.process)).split(" ").pop()!;
    return server;
  }

  /** Stops it, and expects it to end with the status 0. */
  async stop(): Promise<void> {
    const ended = once(this.process, "exit");
    this.process.kill("SIGTERM");
    const [status] = await ended;
    if (status !== 0) throw new Error(`the server ended with status ${status}; must be 0`);
  }

  signal(name: NodeJS.Signals): void {
    this.process.kill(name);
  }
}

type Direction = "up" | "down";

/** Forwards connections to a server, until it is told to cut them. */
export class Proxy {
  address = "";
  private readonly listener: TcpServer;
  private readonly sockets = new Set<Socket>();
  private cut: { direction: Direction; bytes: number } | undefined;
  private isHeld = false;
  private isSevered = false;

  private constructor(private readonly target: string) {
    this.listener = createServer((client) => this.accept(client));
  }

  static async start(target: string): Promise<Proxy> {
    const proxy = new Proxy(target);
    proxy.listener.listen(0, "127.0.0.1");
    await once(proxy.listener, "listening");
    proxy.address = `127.0.0.1:${(proxy.listener.address() as AddressInfo).port}`;
    return proxy;
  }

  private accept(client: Socket): void {
    if (this.isSevered) return void client.destroy();
    const [host, port] = this.target.split(":"), server = connectTcp(Number(port), host!);
    this.forward(client, server, "up");
    this.forward(server, client, "down");
  }

  private forward(from: Socket, to: Socket, direction: Direction): void {
    this.sockets.add(from);
    from.on("data", (data) => {
      const { cut } = this;
      if (this.isHeld) return;
      if (cut?.direction !== direction) return void to.write(data);
      to.write(data.subarray(0, cut.bytes));
      if ((cut.bytes -= data.length) > 0) return;
      this.cut = undefined;
      from.destroy();
      to.end();
    });
    from.on("error", () => undefined);
    from.on("close", () => {
      this.sockets.delete(from);
      to.destroySoon();
    });
  }

  /** Cuts the connection after so many more bytes of that direction. */
  cutAfter(direction: Direction, bytes: number): void {
    this.cut = { direction, bytes };
  }

  /** Drops all bytes. */
  hold(on: boolean): void {
    this.isHeld = on;
    if (!on) for (const socket of this.sockets) socket.destroy();
  }

  /** Cuts all connections, and accepts no others. */
  sever(on: boolean): void {
    this.isSevered = on;
    for (const socket of this.sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    this.sever(true);
    this.listener.close();
    await once(this.listener, "close");
  }
}
