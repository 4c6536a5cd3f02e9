/**
 * The time until a response must begin. When it is up, the request is answered with an error, its
 * handler is told to stop, and what the handler still returns is given up.
 */
import type { ServerResponse } from 'node:http';
import { startTimer } from '../../process/clock.ts';
import type { ApiResponse } from './handler.ts';

/**
 * For requests that wait: also closes the connection, as Node does by default, when the client has
 * ended its side. Mostly it has gone, and the connection would be held until the wait is over.
 */
export function endSignal(response: ServerResponse, ends: readonly AbortSignal[]): AbortSignal {
  const { socket } = response.req;
  const end = () => void socket.end();
  const signal = closeSignal(response, ends);
  if (socket.readableEnded) end();
  else {
    socket.once('end', end);
    // Not another listener of the response: with those of a stream, Node would warn of a leak.
    signal.addEventListener('abort', () => socket.off('end', end), { once: true });
  }
  return signal;
}

/** Aborts when the response is closed, or with the first of `ends`. */
export function closeSignal(response: ServerResponse, ends: readonly AbortSignal[]): AbortSignal {
  if (response.destroyed || ends.some(({ aborted }) => aborted)) return AbortSignal.abort();
  const controller = new AbortController();
  const abort = () => controller.abort();
  for (const end of ends) end.addEventListener('abort', abort, { once: true });
  response.once('close', () => {
    for (const end of ends) end.removeEventListener('abort', abort);
    abort();
  });
  return controller.signal;
}

export class WaitingRequests {
  readonly #counts = new Map<string, number>();

  /** Returns null if as many of the caller wait already. Dispose of it when the wait is over. */
  start(caller: string, max: number): Disposable | null {
    const count = this.#counts.get(caller) ?? 0;
    if (count >= max) return null;
    this.#counts.set(caller, count + 1);
    return {
      [Symbol.dispose]: () => {
        const left = this.#counts.get(caller)! - 1;
        if (left > 0) this.#counts.set(caller, left);
        else this.#counts.delete(caller);
      },
    };
  }
}

/** Twice the timeout of a statement. Endpoints that need more name it: `secondsMax`. */
export const defaultSecondsMax = 60;

export class RequestDeadline implements Disposable {
  readonly #ms: number;
  readonly #late = Promise.withResolvers<never>();
  #timer: { stop(): void };
  #controller: AbortController | undefined;
  #isExtended = false;
  hasPassed = false;

  constructor(seconds: number) {
    this.#ms = seconds * 1000;
    this.#timer = startTimer(this.#ms, this.#pass);
    // Nothing waits for it between the response of the handler and its first byte.
    this.#late.promise.catch(() => {});
  }

  /** Aborts when the time is up. Made when it is first needed, which for most requests is never. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.hasPassed) this.#controller.abort();
    return this.#controller.signal;
  }

  /** Adds time for a body that takes long to arrive. */
  extend(ms: number): void {
    this.#isExtended = true;
    this.#restart(this.#ms + ms);
  }

  /** The body has arrived; after an extension the time begins again. */
  endExtension(): void {
    if (this.#isExtended) this.#restart(this.#ms);
  }

  /** Returns the response of the handler, and throws when the time is up first. */
  async race(response: Promise<ApiResponse>): Promise<ApiResponse> {
    response.then(
      ({ stream }) => this.hasPassed && stream?.destroy(),
      () => {},
    );
    return await Promise.race([response, this.#late.promise]);
  }

  [Symbol.dispose](): void {
    this.#timer.stop();
  }

  #restart(ms: number): void {
    this.#timer.stop();
    if (!this.hasPassed) this.#timer = startTimer(ms, this.#pass);
  }

  readonly #pass = (): void => {
    this.hasPassed = true;
    this.#controller?.abort();
    this.#late.reject(new Error('the request was not answered in time'));
  };
}
