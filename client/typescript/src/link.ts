// SPDX-License-Identifier: Apache-2.0
//
// One connection: frames in and out, with backpressure.
import type { Connector, Transport } from "./transport.js";
import { MalformedError, Splitter } from "./wire.js";

const FULL_BYTES = 1 << 20; // that wait for the transport: then the link is full until they are sent
const GATHER_BYTES = 1 << 16;

export interface LinkHandlers {
  frame(data: Uint8Array): void;
  drain(): void;
  lost(reason: string): void;
}

export class Link {
  full = false;
  /** When the last bytes came. */
  heard = performance.now();
  isClosed = false;
  private transport: Transport | undefined;
  private readonly splitter = new Splitter();
  private out: Uint8Array[] = [];
  private outBytes = 0;
  private flushDue = false;

  private constructor(private readonly handlers: LinkHandlers) {}

  static async open(connector: Connector, address: string, signal: AbortSignal, handlers: LinkHandlers): Promise<Link> {
    const link = new Link(handlers);
    link.transport = await connector(address, {
      data: (bytes) => link.take(bytes),
      drain: () => link.drained(),
      closed: (reason) => {
        link.isClosed = true;
        handlers.lost(reason);
      },
    }, signal);
    return link;
  }

  // ---- sending ----

  /** Queues a frame. Small frames leave together, at the end of this turn. */
  send(frame: Uint8Array): void {
    this.out.push(frame);
    this.outBytes += frame.length;
    if (this.outBytes >= GATHER_BYTES) {
      this.flush();
    } else if (!this.flushDue) {
      this.flushDue = true;
      queueMicrotask(() => this.flush());
    }
  }

  flush(): void {
    this.flushDue = false;
    const parts = this.out;
    if (!parts.length || this.isClosed) return;
    this.out = [];
    this.outBytes = 0;
    this.transport!.write(parts);
    this.full = this.transport!.waiting >= FULL_BYTES;
  }

  close(): void {
    this.flush();
    this.transport?.close();
  }

  abort(): void {
    this.transport?.abort();
  }

  // ---- the transport's reports ----

  private take(bytes: Uint8Array): void {
    this.heard = performance.now();
    try {
      this.splitter.feed(bytes, this.handlers.frame);
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error;
      this.handlers.lost(`the server sent bytes that are no frame: ${error.message}`);
      this.abort();
    }
  }

  private drained(): void {
    if (!this.full) return;
    this.full = false;
    this.handlers.drain();
  }
}
