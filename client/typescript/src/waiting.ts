// SPDX-License-Identifier: Apache-2.0
//
// Waits for conditions that are looked at after each frame and each change of the session's state.
import { TimeoutError } from "./errors.js";

/** Limits a wait. What it waited for goes on. */
export interface WaitOptions {
  /** Then the wait ends with a TimeoutError. */
  timeoutMs?: number | undefined;
  /** Cancels the wait, which then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

interface Waiter {
  isDone: () => unknown;
  end: (error?: unknown) => void;
}

export class Waiting {
  private waiters: Waiter[] = [];

  until(isDone: () => unknown, { timeoutMs, signal }: WaitOptions = {}): Promise<void> {
    if (isDone()) return Promise.resolve();
    if (signal?.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const abort = () => waiter.end(signal!.reason);
      const waiter: Waiter = { isDone, end: (error) => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
        this.waiters = this.waiters.filter((each) => each !== waiter);
        if (error === undefined) resolve();
        else reject(error);
      } };
      this.waiters.push(waiter);
      signal?.addEventListener("abort", abort);
      if (timeoutMs !== undefined) {
        timer = setTimeout(() => waiter.end(new TimeoutError(`not done within ${timeoutMs} ms`)), timeoutMs);
      }
    });
  }

  /** Looks at all conditions. */
  notify(): void {
    if (!this.waiters.length) return;
    for (const waiter of [...this.waiters]) {
      if (waiter.isDone()) waiter.end();
    }
  }
}
