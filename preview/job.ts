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

export type Job = {
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
  /** `material`: a fetched file is not the image it should be. */
  | { readonly failed: 'material' | 'failed'; readonly detail: string };

/** The answer to `render.ts --check`: can this machine encode at all? */
export type CheckReport = { readonly ready: boolean; readonly detail: string };

export const framesPerSecond = 24;

/** Editing follows its source (Spec 4.3.6); a source that was not measured counts as this long. */
const editSeconds = 5;

export const secondsOf = (generation: Pick<Generation, 'duration'>): number =>
  generation.duration === -1 ? editSeconds : generation.duration;
