/**
 * One API, spoken differently: what each kind of `/v1/videos` server does in its own way. All that
 * depends on the dialect is a trait here; no other file asks for a dialect by its name.
 */
import { type PollSchedule, selfHostedSchedule } from '../toolkit/poll-schedule.ts';

export const dialectNames = ['openai', 'vllm', 'sglang', 'gateway'] as const;
/** OpenAI's own, vLLM-Omni, SGLang-Diffusion, and programs that stand before other upstreams. */
export type DialectName = (typeof dialectNames)[number];

export type Dialect = {
  /** How a start without a file is sent; one with a file is always a form. */
  readonly plainStart: 'form' | 'json';
  /** Lengths it makes; null: any number of whole seconds. */
  readonly seconds: readonly number[] | null;
  readonly supportsSeed: boolean;
  /** Who knows which model stands behind it: one may read parameters out of the prompt. */
  readonly guardsPrompt: boolean;
  /** Whether it can be asked for sound (`generate_sound`). */
  readonly supportsSound: boolean;
  /** Sizes it makes where none are configured: OpenAI's few, or the ones of our own catalogue. */
  readonly sizes: 'few' | 'any';
  /** Sides are multiples of this: open models compute in blocks of pixels. */
  readonly block: number;
  /** Elsewhere DELETE erases, and what runs goes on: it is never sent there. */
  readonly deleteStops: boolean;
  /** `model` is shown again as it was sent, whatever it says: it can carry our reference. */
  readonly echoesModel: boolean;
  /** A finished video may name an address (`url`, `metadata.url`) instead of having `/content`. */
  readonly returnsFileUrl: boolean;
  /** How often to ask, by the age of a video: a server of one's own bears more. */
  readonly pollSchedule: PollSchedule;
};

const hostedSchedule: PollSchedule = [
  { untilSeconds: 120, everySeconds: 10 },
  { untilSeconds: 600, everySeconds: 15 },
  { untilSeconds: Number.POSITIVE_INFINITY, everySeconds: 20 },
];

export const dialects: Readonly<Record<DialectName, Dialect>> = {
  openai: {
    plainStart: 'form',
    seconds: [4, 8, 12],
    supportsSeed: false,
    guardsPrompt: false,
    supportsSound: false,
    sizes: 'few',
    block: 1,
    deleteStops: false,
    echoesModel: false,
    returnsFileUrl: false,
    pollSchedule: hostedSchedule,
  },
  vllm: {
    plainStart: 'form',
    seconds: null,
    supportsSeed: true,
    guardsPrompt: false,
    supportsSound: true,
    sizes: 'any',
    block: 16,
    deleteStops: true,
    // It refuses a model that is not the one it serves, and shows nothing else we could mark.
    echoesModel: false,
    returnsFileUrl: false,
    pollSchedule: selfHostedSchedule,
  },
  sglang: {
    // As a form, older versions ask for a file even where the model needs none.
    plainStart: 'json',
    seconds: null,
    supportsSeed: true,
    guardsPrompt: false,
    supportsSound: false,
    sizes: 'any',
    block: 16,
    deleteStops: false,
    echoesModel: true,
    returnsFileUrl: true,
    pollSchedule: selfHostedSchedule,
  },
  gateway: {
    plainStart: 'form',
    seconds: null,
    supportsSeed: false,
    guardsPrompt: true,
    supportsSound: false,
    sizes: 'any',
    block: 1,
    deleteStops: false,
    echoesModel: false,
    returnsFileUrl: true,
    pollSchedule: hostedSchedule,
  },
};
