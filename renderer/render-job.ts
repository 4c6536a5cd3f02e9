/**
 * The renderer's whole interface: a job file in, files out, and reports as lines of JSON on its
 * output. Whoever runs the renderer needs this and its sizes, and nothing else of it.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';

export type MaterialKind = 'image' | 'video' | 'audio';

/** A referenced file, already on this machine: the renderer has no network. */
export type JobMaterial = {
  readonly kind: MaterialKind;
  /** Place in its own list of the request, from 0. */
  readonly index: number;
  /** Null when it could not be fetched: it is then drawn as a titled card. */
  readonly file: string | null;
  /** What the card says: the host and name of its address, never its query. */
  readonly title: string;
};

export type RenderJob = {
  readonly generation: Generation;
  readonly materials: readonly JobMaterial[];
  /** Decides everything that looks random: the same job gives the same frames. */
  readonly seed: number;
  readonly out: { readonly video: string; readonly lastFrame: string | null };
};

/** One line of output. The last line is `done` or `failed`; anything else is a crash. */
export type Report =
  | { readonly progress: number }
  | { readonly done: true; readonly seconds: number }
  /** `material`: a fetched file is not the picture, video or sound it should be. */
  | { readonly failed: 'material' | 'failed'; readonly detail: string };

/** Native code reads videos too; WebAssembly runs everywhere, and serves text and images. */
export type EncoderName = 'native' | 'wasm';

/** The answer to `render.ts --check`, after a clip of one second was made. */
export type CheckReport = {
  readonly ready: boolean;
  /** The one that made it; null when none could. */
  readonly encoder: EncoderName | null;
  /** Why nothing can be made, or why not by native code; empty when all is well. */
  readonly detail: string;
};

export const framesPerSecond = 24;

/** Editing follows its source (Spec 4.3.6); one that could not be fetched counts as this long. */
export const unmeasuredEditSeconds = 5;
