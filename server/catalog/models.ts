/**
 * The four models as one table: every limit of docs/spec.md 2.2, 4.3 and 8, and the default prices.
 * Rules, prices, `/v1/models` and all messages read from here; a new variant is a new row.
 */
import {
  type AspectRatio,
  aspectRatios,
  type ModelName,
  type Resolution,
} from '@vidgen/contract/models.ts';

export type Range = { readonly min: number; readonly max: number };

/** How long the videos or the audio files of a request may be (docs/spec.md 4.3.4 and 4.3.5). */
export type LengthLimits = {
  /** Null if the contract has no limit per file. */
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
  readonly durationSeconds: Range;
  /** Video editing (`duration` -1): how long each source may be. Null if not offered. */
  readonly editing: { readonly sourceSeconds: Range } | null;
  readonly resolutions: readonly Resolution[];
  readonly imageToVideoAspectRatios: readonly AspectRatio[];
  /** Whether the `seed` field may be sent. */
  readonly seed: boolean;
  readonly reference: ReferenceLimits;
};

/** Credits per second of output, without and with a video reference. */
export type Rate = { readonly perSecond: number; readonly perSecondWithVideo: number };
export type ModelPrices = Readonly<Partial<Record<Resolution, Rate>>>;

type Model = { readonly limits: ModelLimits; readonly prices: ModelPrices };

/** docs/spec.md 4.3.2: a first frame, or a first and a last one. */
export const imageToVideoImages: Range = { min: 1, max: 2 };
/** docs/spec.md 4.3.6: the value that requests video editing. */
export const editingDuration = -1;

/** Price factor for a video reference, if no second rate is given. */
export const videoReferenceFactor = 1.5;

const rates = (perSecond: Readonly<Partial<Record<Resolution, number>>>): ModelPrices =>
  Object.fromEntries(
    Object.entries(perSecond).map(([resolution, rate]) => [
      resolution,
      { perSecond: rate, perSecondWithVideo: rate * videoReferenceFactor },
    ]),
  );

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

const limits20 = {
  durationSeconds: { min: 4, max: 15 },
  editing: null,
  imageToVideoAspectRatios: aspectRatios,
  seed: true,
  reference: reference20,
} as const;

export const models: Readonly<Record<ModelName, Model>> = {
  'vidgen-2-5': {
    limits: {
      durationSeconds: { min: 4, max: 30 },
      editing: { sourceSeconds: { min: 4, max: 30 } },
      resolutions: ['480p', '720p', '1080p'],
      imageToVideoAspectRatios: ['adaptive'],
      seed: false,
      reference: reference25,
    },
    prices: rates({ '480p': 4, '720p': 8, '1080p': 18 }),
  },
  'vidgen-2-0': {
    limits: { ...limits20, resolutions: ['480p', '720p', '1080p', '4k'] },
    prices: rates({ '480p': 3, '720p': 6, '1080p': 14, '4k': 30 }),
  },
  'vidgen-2-0-fast': {
    limits: { ...limits20, resolutions: ['480p', '720p'] },
    prices: rates({ '480p': 2, '720p': 5 }),
  },
  'vidgen-2-0-mini': {
    limits: { ...limits20, resolutions: ['480p', '720p'] },
    prices: rates({ '480p': 1, '720p': 3 }),
  },
};
