/**
 * How the kinds of `/v1/videos` servers differ. Everything that depends on the dialect is a
 * property here; no other file compares dialect names.
 */
import type { References } from './references.ts';

export const dialectNames = [
  'openai',
  'vllm',
  'sglang',
  'gateway',
  'openrouter',
  'vidgen',
] as const;
/** OpenAI and Azure, vLLM-Omni, SGLang, gateways to other upstreams, OpenRouter, this service. */
export type DialectName = (typeof dialectNames)[number];

export type Dialect = {
  /** Encoding of a start without a file; with a file it is always a form. */
  readonly plainStart: 'form' | 'json';
  /** Takes OpenRouter's own fields, with URLs of materials instead of uploads. */
  readonly sendsUrls: boolean;
  /** Lengths it makes; null for any number of whole seconds. */
  readonly seconds: readonly number[] | null;
  /** How it takes uploaded references and the source of an edit; null if it takes none. */
  readonly references: References | null;
  readonly supportsSeed: boolean;
  /** Removes parameters from prompts, because the model behind a gateway may read them. */
  readonly guardsPrompt: boolean;
  /** Accepts `generate_sound`. */
  readonly supportsSound: boolean;
  /** Sizes without configuration: OpenAI's few, or those of our catalog. */
  readonly sizes: 'few' | 'any';
  /** Sides are multiples of this many pixels. */
  readonly block: number;
  /**
   * What is left of a running video that DELETE stops. Null: DELETE does not stop it, and is never
   * sent.
   */
  readonly deleteStops: 'nothing' | 'failed-video' | null;
  /** Returns the first video to a start that is repeated with its `Idempotency-Key`. */
  readonly idempotencyKey: boolean;
  /** Responses repeat `model` as it was sent, so it can carry the reference. */
  readonly echoesModel: boolean;
  /** A finished video may have a URL (`url`, `metadata.url`) instead of `/content`. */
  readonly returnsFileUrl: boolean;
  /** Reads per second, unless configured. */
  readonly getPerSecond: number;
  /** Lists all videos, in pages. */
  readonly hasPages: boolean;
};

/** What most servers do; a dialect has what differs. */
const common: Dialect = {
  plainStart: 'form',
  sendsUrls: false,
  seconds: null,
  references: null,
  supportsSeed: false,
  guardsPrompt: false,
  supportsSound: false,
  sizes: 'any',
  block: 1,
  deleteStops: null,
  idempotencyKey: false,
  echoesModel: false,
  returnsFileUrl: false,
  getPerSecond: 20,
  hasPages: false,
};

const engine: Dialect = {
  ...common,
  supportsSeed: true,
  block: 16,
  getPerSecond: Number.POSITIVE_INFINITY,
};

export const dialects: Readonly<Record<DialectName, Dialect>> = {
  openai: { ...common, seconds: [4, 8, 12], sizes: 'few', hasPages: true },
  // It refuses a model other than the one it serves, so `model` carries no reference.
  vllm: {
    ...engine,
    references: {
      field: 'input_references',
      // As MiniMax H3, which uses the most.
      counts: { images: 9, videos: 3, audios: 3 },
      filesMax: 12,
    },
    supportsSound: true,
    deleteStops: 'nothing',
  },
  sglang: {
    ...engine,
    // Older versions require a file in a form, even when the model needs none.
    plainStart: 'json',
    references: {
      field: 'video_reference',
      // An image would become the first frame.
      counts: { images: 0, videos: 1, audios: 0 },
      filesMax: 1,
    },
    echoesModel: true,
    returnsFileUrl: true,
  },
  gateway: { ...common, guardsPrompt: true, returnsFileUrl: true },
  // Its URLs require the key, as `/content` does.
  openrouter: {
    ...common,
    plainStart: 'json',
    sendsUrls: true,
    supportsSeed: true,
    guardsPrompt: true,
  },
  vidgen: {
    ...common,
    plainStart: 'json',
    deleteStops: 'failed-video',
    idempotencyKey: true,
    // Below `VIDGEN_RATE_STATUS` of the other service, which is 600 per minute by default.
    getPerSecond: 8,
    hasPages: true,
  },
};
