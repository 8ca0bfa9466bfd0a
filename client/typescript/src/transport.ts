// SPDX-License-Identifier: Apache-2.0
//
// The transport below a session. This file has the one for TCP and TLS in Node; others implement the same interface.
import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls, type ConnectionOptions } from "node:tls";

/** One connection. */
export interface Transport {
  /** Sends the parts in their order, or queues them. */
  write(parts: Uint8Array[]): void;
  /** The bytes that wait to be sent. */
  readonly waiting: number;
  /** Ends the connection after all that was written. */
  close(): void;
  /** Ends the connection at once. */
  abort(): void;
}

/** What a transport reports. */
export interface TransportHandlers {
  data(bytes: Uint8Array): void;
  /** All that waited has been sent. */
  drain(): void;
  /** The connection has ended; once. */
  closed(reason: string): void;
}

/** Opens a connection to an address. The signal cancels the attempt. */
export type Connector = (address: string, handlers: TransportHandlers, signal: AbortSignal) => Promise<Transport>;

function endpoint(address: string): { host: string; port: number } {
  const found = /^(?:\[([^\]]+)\]|([^:]+)):(\d+)$/.exec(address);
  if (!found || Number(found[3]) > 65535) {
    throw new TypeError(`the address is '${address}'; must be HOST:PORT, such as 127.0.0.1:7400 or [::1]:7400`);
  }
  return { host: found[1] ?? found[2]!, port: Number(found[3]) };
}

class SocketTransport implements Transport {
  constructor(private readonly socket: Socket) {}

  write(parts: Uint8Array[]): void {
    this.socket.cork();
    for (const part of parts) this.socket.write(part);
    this.socket.uncork();
  }

  get waiting(): number {
    return this.socket.writableLength;
  }

  close(): void {
    this.socket.end();
  }

  abort(): void {
    this.socket.destroy();
  }
}

/** TCP, or TLS with options. */
export function socketConnector(tls: ConnectionOptions | undefined): Connector {
  return (address, handlers, signal) => new Promise((resolve, reject) => {
    const where = { ...endpoint(address), noDelay: true };
    const socket = tls ? connectTls({ ALPNProtocols: ["quadrille/1"], ...tls, ...where }) : connectTcp(where);
    let problem = "";
    const cancel = () => socket.destroy(signal.reason);
    signal.addEventListener("abort", cancel);
    if (signal.aborted) cancel();
    socket.once(tls ? "secureConnect" : "connect", () => {
      signal.removeEventListener("abort", cancel);
      resolve(new SocketTransport(socket));
    });
    socket.on("data", handlers.data);
    socket.on("drain", handlers.drain);
    socket.on("error", (error) => {
      problem = error.message || String((error as NodeJS.ErrnoException).code);
      signal.removeEventListener("abort", cancel);
      reject(error);
    });
    socket.on("close", () => {
      signal.removeEventListener("abort", cancel);
      reject(new Error("the server closed the connection"));
      handlers.closed(problem || "the server closed the connection");
    });
  });
}
