/**
 * The interface of the renderer: a job file in, media files out, and reports as JSON lines on
 * standard output. The server uses only this file and `size.ts`.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';

export type MaterialKind = 'image' | 'video' | 'audio';

/** A fetched material. The renderer has no network access. */
export type JobMaterial = {
  readonly kind: MaterialKind;
  /** Position in its list of the request, from 0. */
  readonly index: number;
  /** Null if it could not be fetched; a card is shown instead. */
  readonly file: string | null;
  /** The text on its card: host and file name of the URL, never the query. */
  readonly title: string;
};

export type JobLimits = {
  /** Seconds of all videos, and of all audio files. */
  readonly combinedSecondsMax: number;
  /** Whether a single video without images is extended instead of shown as a reference. */
  readonly extendsVideos: boolean;
};

export type RenderJob = {
  readonly generation: Generation;
  readonly materials: readonly JobMaterial[];
  /** Seeds all random choices: the same job gives the same frames. */
  readonly seed: number;
  /** An edit is cut to this many seconds; null or absent without a limit. */
  readonly pricedSeconds?: number | null;
  readonly limits: JobLimits;
  readonly out: { readonly video: string; readonly lastFrame: string | null };
};

/** One line of output. The last line is `done` or `failed`, unless the process crashed. */
export type Report =
  | { readonly progress: number }
  | { readonly done: true; readonly seconds: number }
  /** `material`: a fetched file cannot be used as an image, a video or audio. */
  | { readonly failed: 'material' | 'failed'; readonly detail: string };

/** Only native code reads videos and audio; WebAssembly runs everywhere. */
export type EncoderName = 'native' | 'wasm';

/** The output of `render.ts --check`. */
export type CheckReport = {
  readonly ready: boolean;
  /** The encoder used; null if none works. */
  readonly encoder: EncoderName | null;
  /** Why rendering fails, or why native code is not used; empty otherwise. */
  readonly detail: string;
};

export const framesPerSecond = 24;

/**
 * An edit is as long as its source (docs/spec.md 4.3.6); this is the length if it was not fetched.
 */
export const unmeasuredEditSeconds = 5;
