/**
 * Chooses the encoder: native FFmpeg where this platform has it, otherwise WebAssembly. Only native
 * code can also read videos and audio.
 */
import type { EncoderName, RenderJob } from '../render-job.ts';
import type { Encoder, EncoderOptions } from './encoder.ts';
import { openNative, whyNotNative } from './native.ts';

export type EncoderChoice = {
  readonly name: EncoderName;
  /** Why the native encoder is not used; empty if it is. */
  readonly reason: string;
  open(options: EncoderOptions): Promise<Encoder>;
};

/** The native encoder if available, unless WebAssembly is requested. */
export async function chooseEncoder(wanted?: EncoderName): Promise<EncoderChoice> {
  const reason = wanted === 'wasm' ? 'WebAssembly was requested' : await whyNotNative();
  if (reason === null) return { name: 'native', reason: '', open: limitAudio(openNative) };
  if (wanted === 'native') throw new Error(`no native encoder: ${reason}`);
  const { openWasm } = await import('./wasm.ts');
  return { name: 'wasm', reason, open: limitAudio(openWasm) };
}

/** Audio comes in whole seconds; samples after the last frame are dropped. */
function limitAudio(open: EncoderChoice['open']): EncoderChoice['open'] {
  return async (options) => {
    const encoder = await open(options);
    const { frames, framesPerSecond, sampleRate } = options;
    let left = Math.round((frames / framesPerSecond) * (sampleRate ?? 0)) * 2;
    return {
      ...encoder,
      async addAudio(samples) {
        const used = samples.subarray(0, left);
        left -= used.length;
        if (used.length > 0) await encoder.addAudio(used);
      },
    };
  };
}

/** Throws, naming the material, if the job needs native code to read a video or audio file. */
export function checkDecodable(
  job: RenderJob,
  { name, reason }: Pick<EncoderChoice, 'name' | 'reason'>,
): void {
  if (name === 'native' || job.generation.generationType !== 'reference-to-video') return;
  const unreadable = job.materials.find(({ kind, file }) => kind !== 'image' && file !== null);
  if (!unreadable) return;
  const what = `${unreadable.kind} ${unreadable.index + 1} (${unreadable.title})`;
  throw new Error(`${what} requires the native decoder, which is not available: ${reason}`);
}
