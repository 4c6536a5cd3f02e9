/**
 * The thread that makes the sound of a clip and encodes it, while the main thread draws: drawing
 * would otherwise keep each step of the encoder waiting for a turn.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { type EncoderName, framesPerSecond, type RenderJob } from '../render-job.ts';
import { sampleRate } from '../sound/sound.ts';
import { openSoundtrack, type SoundtrackOptions } from '../soundtrack.ts';
import { UnusableMaterial } from '../unusable.ts';
import { chooseEncoder } from './choose.ts';
import type { EncoderOptions } from './encoder.ts';

export type WorkerData = { readonly wanted: EncoderName | undefined };

export type Clip = Pick<EncoderOptions, 'size' | 'drawn' | 'marks' | 'frames'> & {
  readonly job: RenderJob;
  readonly soundtrack: SoundtrackOptions;
  /** RGBA pixels of frames, in turns. */
  readonly slots: readonly Uint8Array[];
};

/** `open` comes first, then all frames in order, then `close`. */
export type Order =
  | { readonly open: Clip }
  | { readonly slot: number; readonly opacities: readonly number[] }
  | { readonly close: true };

export type Reply =
  | { readonly chosen: { readonly name: EncoderName; readonly reason: string } }
  | { readonly opened: true }
  /** The pixels of this slot are no longer needed. */
  | { readonly free: number }
  | { readonly closed: true }
  | { readonly failed: string; readonly isMaterial: boolean };

const reply = (message: Reply): void => parentPort!.postMessage(message);

const chosen = await chooseEncoder((workerData as WorkerData).wanted);

async function open({ job, soundtrack, slots, ...options }: Clip) {
  const sound = await openSoundtrack(job, soundtrack);
  const encoder = await chosen.open({
    ...options,
    file: job.out.video,
    framesPerSecond,
    sampleRate: sound && sampleRate,
  });
  let added = 0;
  return {
    async addFrame(slot: number, opacities: readonly number[]): Promise<void> {
      if (added % framesPerSecond === 0) {
        const samples = await sound?.next();
        if (samples) await encoder.addAudio(samples);
      }
      added += 1;
      const { buffer, byteOffset, byteLength } = slots[slot]!;
      await encoder.addFrame(Buffer.from(buffer, byteOffset, byteLength), opacities);
    },
    async close(): Promise<void> {
      await encoder.close();
      await sound?.close();
    },
  };
}

let clip: Awaited<ReturnType<typeof open>> | undefined;

async function follow(order: Order): Promise<Reply> {
  if ('open' in order) {
    clip = await open(order.open);
    return { opened: true };
  }
  if ('close' in order) {
    await clip!.close();
    return { closed: true };
  }
  await clip!.addFrame(order.slot, order.opacities);
  return { free: order.slot };
}

let last = Promise.resolve();
parentPort!.on('message', (order: Order) => {
  last = last.then(async () => reply(await follow(order)));
  last.catch((error: unknown) => {
    const failed = error instanceof Error ? error.message : String(error);
    reply({ failed, isMaterial: error instanceof UnusableMaterial });
  });
});
reply({ chosen: { name: chosen.name, reason: chosen.reason } });
