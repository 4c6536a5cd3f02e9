/**
 * Which encoder: FFmpeg's native code where this platform has it, WebAssembly everywhere else. Only
 * the native one can also read videos and sound.
 */
import type { EncoderName, RenderJob } from '../render-job.ts';
import type { Encoder, EncoderOptions } from './encoder.ts';
import { openNative, whyNotNative } from './native.ts';
import { openWasm } from './wasm.ts';

export type EncoderChoice = {
  readonly name: EncoderName;
  /** Why it is not the native one; empty when it is. */
  readonly reason: string;
  open(options: EncoderOptions): Promise<Encoder>;
};

/** The native one where it can be had, unless the other is asked for. */
export async function chooseEncoder(wanted?: EncoderName): Promise<EncoderChoice> {
  const reason = wanted === 'wasm' ? 'WebAssembly was asked for' : await whyNotNative();
  if (reason === null) return { name: 'native', reason: '', open: inTime(openNative) };
  if (wanted === 'native') throw new Error(`no native encoder: ${reason}`);
  return { name: 'wasm', reason, open: inTime(openWasm) };
}

/** Sound comes in whole seconds, pictures in frames: what would outlast them is left out. */
function inTime(open: EncoderChoice['open']): EncoderChoice['open'] {
  return async (options) => {
    const encoder = await open(options);
    const { frames, framesPerSecond, sampleRate } = options;
    let left = Math.round((frames / framesPerSecond) * (sampleRate ?? 0)) * 2;
    return {
      ...encoder,
      async addAudio(samples) {
        const heard = samples.subarray(0, left);
        left -= heard.length;
        if (heard.length > 0) await encoder.addAudio(heard);
      },
    };
  };
}

/** A job that asks for what only native code can do; the renderer says so by name. */
export class NeedsNativeCode extends Error {}

/** Throws when a video or sound would have to be read that cannot be, without native code. */
export function checkDecodable(job: RenderJob, { name, reason }: EncoderChoice): void {
  if (name === 'native' || job.generation.generationType !== 'reference-to-video') return;
  const unreadable = job.materials.find(({ kind, file }) => kind !== 'image' && file !== null);
  if (!unreadable) return;
  const what = `${unreadable.kind} ${unreadable.index + 1} (${unreadable.title})`;
  throw new NeedsNativeCode(`${what} can be read by native code only: ${reason}`);
}
