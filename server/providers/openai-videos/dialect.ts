/**
 * One API, spoken differently: what each kind of `/v1/videos` server does in its own way. All that
 * depends on the dialect is a trait here; no other file asks for a dialect by its name.
 */
import { near, type Patience } from '../toolkit/patience.ts';

export const dialectNames = ['openai', 'vllm', 'sglang', 'gateway'] as const;
/** OpenAI's own, vLLM-Omni, SGLang-Diffusion, and programs that stand before other upstreams. */
export type DialectName = (typeof dialectNames)[number];

export type Dialect = {
  /** How a start without a file is sent; one with a file is always a form. */
  readonly plainStart: 'form' | 'json';
  /** Lengths it makes; null: any number of whole seconds. */
  readonly seconds: readonly number[] | null;
  readonly takesSeed: boolean;
  /** Who knows which model stands behind it: one may read parameters out of the prompt. */
  readonly guardsPrompt: boolean;
  /** Whether it can be asked for sound (`generate_sound`). */
  readonly takesSound: boolean;
  /** Sizes it makes where none are configured: OpenAI's few, or the ones of our own catalogue. */
  readonly sizes: 'few' | 'any';
  /** Sides are multiples of this: open models compute in blocks of pixels. */
  readonly block: number;
  /** Elsewhere DELETE erases, and what runs goes on: it is never sent there. */
  readonly deleteStops: boolean;
  /** `model` is shown again as it was sent, whatever it says: it can carry our reference. */
  readonly echoesModel: boolean;
  /** A finished video may name an address (`url`, `metadata.url`) instead of having `/content`. */
  readonly namesAddress: boolean;
  /** How often to ask, by the age of a video: a server of one's own bears more. */
  readonly patience: Patience;
};

const far: Patience = [
  { untilSeconds: 120, everySeconds: 10 },
  { untilSeconds: 600, everySeconds: 15 },
  { untilSeconds: Number.POSITIVE_INFINITY, everySeconds: 20 },
];

export const dialects: Readonly<Record<DialectName, Dialect>> = {
  openai: {
    plainStart: 'form',
    seconds: [4, 8, 12],
    takesSeed: false,
    guardsPrompt: false,
    takesSound: false,
    sizes: 'few',
    block: 1,
    deleteStops: false,
    echoesModel: false,
    namesAddress: false,
    patience: far,
  },
  vllm: {
    plainStart: 'form',
    seconds: null,
    takesSeed: true,
    guardsPrompt: false,
    takesSound: true,
    sizes: 'any',
    block: 16,
    deleteStops: true,
    // It refuses a model that is not the one it serves, and shows nothing else we could mark.
    echoesModel: false,
    namesAddress: false,
    patience: near,
  },
  sglang: {
    // As a form, older versions ask for a file even where the model needs none.
    plainStart: 'json',
    seconds: null,
    takesSeed: true,
    guardsPrompt: false,
    takesSound: false,
    sizes: 'any',
    block: 16,
    deleteStops: false,
    echoesModel: true,
    namesAddress: true,
    patience: near,
  },
  gateway: {
    plainStart: 'form',
    seconds: null,
    takesSeed: false,
    guardsPrompt: true,
    takesSound: false,
    sizes: 'any',
    block: 1,
    deleteStops: false,
    echoesModel: false,
    namesAddress: true,
    patience: far,
  },
};
