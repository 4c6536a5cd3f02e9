/**
 * What a model can make and what it costs, and the four models of the contract as such: every limit
 * of docs/spec.md 2.2, 4.3 and 8, and the default prices. Rules, prices, `/v1/models` and all
 * messages read a model; operators declare others (`declared-model.ts`).
 */
import { promptCharactersMax } from '@vidgen/contract/create-generation.ts';
import type { DeclaredModel, ModelOption } from '@vidgen/contract/model-declaration.ts';
import {
  type AspectRatio,
  aspectRatios,
  type GenerationType,
  generationTypes,
  type ModelName,
  modelNames,
  type Resolution,
} from '@vidgen/contract/models.ts';
import type { Rate } from '@vidgen/contract/price.ts';

export type Range = { readonly min: number; readonly max: number };

/** How long the videos or the audio files of a request may be (docs/spec.md 4.3.4 and 4.3.5). */
export type LengthLimits = {
  /** Null if there is no limit per file. */
  readonly eachSeconds: Range | null;
  readonly combinedSecondsMax: number;
};

export type ReferenceLimits = {
  readonly imagesMax: number;
  readonly videosMax: number;
  readonly audiosMax: number;
  /** Over all three lists; null if only each list is limited. */
  readonly totalMax: number | null;
  readonly video: LengthLimits;
  readonly audio: LengthLimits;
  /** Whether audio can be the only kind of reference (docs/spec.md 4.3.3). */
  readonly audioAlone: boolean;
};

export type ModelLimits = {
  readonly generationTypes: readonly GenerationType[];
  readonly durationSeconds: Range & { readonly default: number };
  /** The only lengths, where not all of the range are possible. */
  readonly durations: readonly number[] | null;
  /** Video editing (`duration` -1): how long each source may be. Null if not offered. */
  readonly editing: { readonly sourceSeconds: Range } | null;
  /** From the smallest on. */
  readonly resolutions: readonly Resolution[];
  readonly defaultResolution: Resolution;
  readonly aspectRatios: Readonly<Record<GenerationType, readonly AspectRatio[]>>;
  /** docs/spec.md 4.3.2: a first frame, or a first and a last one. */
  readonly imageToVideoImages: Range;
  readonly sound: 'always' | 'never' | 'optional';
  readonly seed: boolean;
  readonly promptCharactersMax: number;
  readonly reference: ReferenceLimits;
  readonly options: Readonly<Record<string, ModelOption>>;
};

export type ModelRates = Readonly<Partial<Record<Resolution, Rate>>>;

export type Model = {
  readonly name: ModelName;
  readonly title: string;
  readonly limits: ModelLimits;
  /** Null prices make it a model that is not served. */
  readonly rates: ModelRates;
  /** A day, such as 2026-11-11. */
  readonly retires: string | null;
  readonly source: 'contract' | 'file' | 'dashboard';
  readonly declaration: DeclaredModel | null;
};

/** Price factor of the contract's models for a video reference, if no second rate is given. */
const videoReferenceFactor = 1.5;

/** docs/spec.md 4.3.4. */
const reference25: ReferenceLimits = {
  imagesMax: 30,
  videosMax: 10,
  audiosMax: 10,
  totalMax: 50,
  video: { eachSeconds: { min: 2, max: 30 }, combinedSecondsMax: 30 },
  audio: { eachSeconds: { min: 2, max: 30 }, combinedSecondsMax: 30 },
  audioAlone: true,
};

/** docs/spec.md 4.3.5: the same for all variants of model 2.0. */
const reference20: ReferenceLimits = {
  imagesMax: 9,
  videosMax: 3,
  audiosMax: 3,
  totalMax: null,
  video: { eachSeconds: null, combinedSecondsMax: 15 },
  audio: { eachSeconds: null, combinedSecondsMax: 15 },
  audioAlone: false,
};

const contractLimits = {
  generationTypes,
  durations: null,
  defaultResolution: '720p',
  imageToVideoImages: { min: 1, max: 2 },
  sound: 'optional',
  promptCharactersMax,
  options: {},
} as const;

const anyRatio = {
  'text-to-video': aspectRatios,
  'image-to-video': aspectRatios,
  'reference-to-video': aspectRatios,
};

const limits20 = {
  ...contractLimits,
  durationSeconds: { min: 4, max: 15, default: 5 },
  editing: null,
  aspectRatios: anyRatio,
  seed: true,
  reference: reference20,
};

type ContractName = (typeof modelNames)[number];

const contract: Readonly<
  Record<ContractName, { limits: ModelLimits; perSecond: Readonly<Record<Resolution, number>> }>
> = {
  'vidgen-2-5': {
    limits: {
      ...contractLimits,
      durationSeconds: { min: 4, max: 30, default: 5 },
      editing: { sourceSeconds: { min: 4, max: 30 } },
      resolutions: ['480p', '720p', '1080p'],
      aspectRatios: { ...anyRatio, 'image-to-video': ['adaptive'] },
      seed: false,
      reference: reference25,
    },
    perSecond: { '480p': 4, '720p': 8, '1080p': 18 },
  },
  'vidgen-2-0': {
    limits: { ...limits20, resolutions: ['480p', '720p', '1080p', '4k'] },
    perSecond: { '480p': 3, '720p': 6, '1080p': 14, '4k': 30 },
  },
  'vidgen-2-0-fast': {
    limits: { ...limits20, resolutions: ['480p', '720p'] },
    perSecond: { '480p': 2, '720p': 5 },
  },
  'vidgen-2-0-mini': {
    limits: { ...limits20, resolutions: ['480p', '720p'] },
    perSecond: { '480p': 1, '720p': 3 },
  },
};

/** The number of decimals that price.ts calculates with. */
export const roundRate = (figure: number): number => Math.round(figure * 10_000) / 10_000;

/** The rate of a model of the contract, which has one with a video reference and one without. */
export function secondRate(
  perSecond: number,
  perSecondWithVideo = roundRate(perSecond * videoReferenceFactor),
): Rate {
  return {
    perSecond,
    perSecondSilent: perSecond,
    perSecondWithVideo,
    perInputSecond: 0,
    perTask: 0,
  };
}

/** In the order of the contract, at the default prices. */
export const contractModels: readonly Model[] = modelNames.map((name) => ({
  name,
  title: name,
  limits: contract[name].limits,
  rates: Object.fromEntries(
    Object.entries(contract[name].perSecond).map(([resolution, perSecond]) => [
      resolution,
      secondRate(perSecond),
    ]),
  ),
  retires: null,
  source: 'contract',
  declaration: null,
}));

/** The default of the contract where the model has it, or else the first that it has. */
export const defaultOf = <Value>(offered: readonly Value[], usual: Value): Value =>
  offered.includes(usual) ? usual : (offered[0] ?? usual);
