/** Starts the thread that encodes a clip, and hands frames to it in memory that both share. */
import { on } from 'node:events';
import { setImmediate as endTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { EncoderName } from '../render-job.ts';
import { UnusableMaterial } from '../unusable.ts';
import type { EncoderChoice } from './choose.ts';
import type { Clip, Order, Reply, WorkerData } from './encode-worker.ts';

/** One that is drawn, one that is encoded, and one between them: neither takes equally long. */
const slotsMax = 3;

export type EncodeThread = {
  readonly encoder: Pick<EncoderChoice, 'name' | 'reason'>;
  open(clip: Omit<Clip, 'slots'>): Promise<void>;
  /** Copies the pixels. Resolves when another frame can be added. */
  addFrame(rgba: Buffer, opacities: readonly number[]): Promise<void>;
  close(): Promise<void>;
};

/** Throws if there is no encoder, as do the functions of the thread when encoding fails. */
export async function startEncodeThread(wanted?: EncoderName): Promise<EncodeThread> {
  const workerData: WorkerData = { wanted };
  const worker = new Worker(new URL('./encode-worker.ts', import.meta.url), { workerData });
  const replies = repliesOf(worker);
  const { chosen: encoder } = await replies.next('chosen');
  let slots: Uint8Array[] = [];
  const free: number[] = [];
  const send = (order: Order): void => worker.postMessage(order);
  return {
    encoder,
    async open(clip) {
      const { width, height } = clip.drawn;
      const frame = () => new Uint8Array(new SharedArrayBuffer(width * height * 4));
      slots = Array.from({ length: slotsMax }, frame);
      free.push(...slots.keys());
      send({ open: { ...clip, slots } });
      await replies.next('opened');
    },
    async addFrame(rgba, opacities) {
      const slot = free.shift()!;
      slots[slot]!.set(rgba);
      send({ slot, opacities });
      // Without a turn of the event loop, the memory of drawn frames is never given back.
      await endTurn();
      if (free.length === 0) free.push((await replies.next('free')).free);
    },
    async close() {
      send({ close: true });
      await replies.next('closed');
      await worker.terminate();
    },
  };
}

/** Replies come in the order of what was asked. */
function repliesOf(worker: Worker) {
  const received = on(worker, 'message', { close: ['exit'] });
  return {
    /** Skips replies of other kinds. */
    async next<Kind extends string>(kind: Kind): Promise<Extract<Reply, Record<Kind, unknown>>> {
      for (;;) {
        const { value, done } = await received.next();
        if (done) throw new Error('the encoder thread ended');
        const [reply] = value as [Reply];
        if ('failed' in reply) throw errorOf(reply);
        if (kind in reply) return reply as Extract<Reply, Record<Kind, unknown>>;
      }
    },
  };
}

const errorOf = ({ failed, isMaterial }: Extract<Reply, { readonly failed: string }>): Error =>
  isMaterial ? new UnusableMaterial(failed) : new Error(failed);
