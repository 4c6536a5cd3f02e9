/**
 * The process that sends requests: closed loops over keep-alive connections, with as little work
 * for each request as possible, because it shares the cores with what is measured.
 */
import { connect, type Socket } from 'node:net';
import { monotonicMs } from '../../server/process/clock.ts';
import type { LoadJob, LoadResult } from './load.ts';

const two = '2'.charCodeAt(0);
/** A service that stopped responding must not keep the benchmark waiting. */
const silentMsMax = 60_000;
const headEnd = Buffer.from('\r\n\r\n');

class Load {
  readonly #job: LoadJob;
  readonly #requests: readonly Buffer[];
  readonly #timesMs: number[] = [];
  readonly #untilMs: number;
  readonly #fromMs = monotonicMs();
  #sent = 0;

  constructor(job: LoadJob) {
    this.#job = job;
    this.#requests = job.requests.map((text) => Buffer.from(text));
    this.#untilMs = this.#fromMs + job.seconds * 1000;
  }

  async run(): Promise<LoadResult> {
    const { connections } = this.#job;
    await Promise.all(Array.from({ length: connections }, () => this.#loop()));
    const seconds = (monotonicMs() - this.#fromMs) / 1000;
    const sorted = Float64Array.from(this.#timesMs).sort();
    const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
    return { requests: sorted.length, seconds, p50Ms: at(0.5), p99Ms: at(0.99) };
  }

  /** One connection: sends the next request when the response is complete. */
  #loop(): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect(this.#job.port, '127.0.0.1');
      socket.setNoDelay(true);
      let received: Buffer | null = null;
      let sentMs = 0;
      const next = () => {
        sentMs = this.#send(socket);
        if (sentMs === 0) socket.destroy();
      };
      socket.once('connect', next).once('error', reject).once('close', resolve);
      socket.setTimeout(silentMsMax, () => reject(new Error('there is no response')));
      socket.on('data', (chunk) => {
        received = received === null ? chunk : Buffer.concat([received, chunk]);
        if (!isComplete(received)) return;
        if (received[9] !== two) return reject(new Error(`received ${received}`));
        received = null;
        this.#timesMs.push(monotonicMs() - sentMs);
        next();
      });
    });
  }

  /** Returns when the request was sent, or 0 when the load is over. */
  #send(socket: Socket): number {
    const nowMs = monotonicMs();
    if (nowMs >= this.#untilMs || this.#sent >= (this.#job.count ?? Infinity)) return 0;
    socket.write(this.#requests[this.#sent++ % this.#requests.length]!);
    return nowMs;
  }
}

/** Whether the head and a body of `content-length` bytes are there. */
function isComplete(received: Buffer): boolean {
  const end = received.indexOf(headEnd);
  if (end < 0) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(received.toString('latin1', 0, end))?.[1];
  if (length === undefined) throw new Error('the response has no content-length');
  return received.length >= end + headEnd.length + Number(length);
}

process.on('message', (job: LoadJob) => {
  new Load(job).run().then(
    (result) => process.send!(result),
    ({ message }: Error) => process.send!({ failed: message }),
  );
});
process.on('disconnect', () => process.exit());
