/**
 * The values of the playground's form, and what a model offers for them. A change of model or
 * generation type keeps allowed values and adjusts the rest. All limits come from
 * `GET /admin/models`, so that models added later work too.
 */
import type {
  AspectRatio,
  GenerationType,
  ModelName,
  Resolution,
} from '@vidgen/contract/models.ts';
import type { Model } from '@vidgen/contract/models-response.ts';

/**
 * The generation types of the contract, and two that are references there: an edit has a duration
 * of its own (docs/spec.md 4.3.6), an extension has a single video and nothing else (4.3.7).
 */
export const formTypes = [
  'text-to-video',
  'image-to-video',
  'reference-to-video',
  'video-editing',
  'video-extension',
] as const;
export type FormType = (typeof formTypes)[number];

export const materialLists = ['images', 'videos', 'audios'] as const;
export type MaterialList = (typeof materialLists)[number];

export type GenerationForm = {
  readonly model: ModelName;
  readonly type: FormType;
  readonly prompt: string;
  /** Kept when the generation type takes none, so that switching back restores them. */
  readonly images: readonly string[];
  readonly videos: readonly string[];
  readonly audios: readonly string[];
  /** Seconds; unused in video editing. */
  readonly duration: number;
  readonly resolution: Resolution;
  readonly aspectRatio: AspectRatio;
  readonly generateAudio: boolean;
  readonly watermark: boolean;
  readonly webSearch: boolean;
  readonly returnLastFrame: boolean;
  /** Null for a random seed. Kept when the model takes none. */
  readonly seed: number | null;
  /** Those of the model, and of models chosen before. */
  readonly options: Readonly<Record<string, string | number | boolean>>;
  readonly callbackUrl: string;
  /** The shots of a story before this one, as in the metadata; empty without any. */
  readonly continues: string;
};

/** The contract's `generationDefaults`, copied because its schemas must not be in the bundle. */
export const formDefaults = {
  type: 'text-to-video',
  prompt: '',
  images: [],
  videos: [],
  audios: [],
  duration: 5,
  resolution: '720p',
  aspectRatio: 'adaptive',
  generateAudio: true,
  watermark: false,
  webSearch: false,
  returnLastFrame: false,
  seed: null,
  options: {},
  callbackUrl: '',
  continues: '',
} as const satisfies Omit<GenerationForm, 'model'>;

export function emptyForm(model: Model): GenerationForm {
  const { id, duration, default_resolution: resolution } = model;
  return adaptForm({ ...formDefaults, model: id, duration: duration.default, resolution }, model);
}

/** What the form shows for a model and a generation type. */
export function fieldsOf(
  model: Model,
  form: Pick<GenerationForm, 'type' | 'videos' | 'generateAudio'>,
) {
  const { type, generateAudio } = form;
  const takesVideos = type !== 'text-to-video' && type !== 'image-to-video';
  return {
    types: typesOf(model),
    /** Null when the output is as long as its source. */
    duration: type === 'video-editing' ? null : model.duration,
    resolutions: pricesOf(model, {
      withVideo: takesVideos && form.videos.length > 0,
      withSound: generateAudio,
    }),
    aspectRatios: model.aspect_ratios[type === 'video-extension' ? 'video-editing' : type],
    seed: model.seed && { min: model.seed.min, max: model.seed.max },
    materials: materialLimits(model, type),
  };
}

export function typesOf(model: Model): FormType[] {
  const offered: readonly GenerationType[] = model.generation_types;
  return formTypes.filter((type) =>
    isOfOneVideo(type)
      ? model.duration.editing !== null && offered.includes('reference-to-video')
      : offered.includes(type),
  );
}

/** An edit or an extension, of a video that the form asks for first. */
export const isOfOneVideo = (type: FormType): type is 'video-editing' | 'video-extension' =>
  type === 'video-editing' || type === 'video-extension';

function pricesOf(
  model: Model,
  { withVideo, withSound }: { readonly withVideo: boolean; readonly withSound: boolean },
) {
  return model.prices.map((price) => {
    const plain = withSound ? price.credits_per_second : price.credits_per_second_silent;
    return {
      value: price.resolution,
      creditsPerSecond: withVideo ? price.credits_per_second_with_video : plain,
      creditsPerTask: price.credits_per_task,
    };
  });
}

/** Returns the maximum length of each material list. */
function materialLimits(model: Model, type: FormType): Readonly<Record<MaterialList, number>> {
  if (type === 'text-to-video') return { images: 0, videos: 0, audios: 0 };
  if (type === 'image-to-video') {
    return { images: model.image_to_video.images_max, videos: 0, audios: 0 };
  }
  if (type === 'video-extension') return { images: 0, videos: 1, audios: 0 };
  const { images_max, videos_max, audios_max } = model.reference_to_video;
  return { images: images_max, videos: videos_max, audios: audios_max };
}

/** Adjusts the form to a model. Materials are never dropped; the service rejects too many. */
export function adaptForm(form: GenerationForm, model: Model): GenerationForm {
  const type = adaptType(form.type, typesOf(model));
  const fields = fieldsOf(model, { ...form, type });
  return {
    ...form,
    model: model.id,
    type,
    duration: clampDuration(form.duration, model),
    resolution: adaptChoice(form.resolution, {
      offered: fields.resolutions.map(({ value }) => value),
      preferred: model.default_resolution,
    }),
    aspectRatio: adaptChoice(form.aspectRatio, {
      offered: fields.aspectRatios,
      preferred: formDefaults.aspectRatio,
    }),
    generateAudio: model.sound === 'optional' ? form.generateAudio : model.sound === 'always',
  };
}

/** Videos to be edited can still be used as references. */
function adaptType(type: FormType, offered: readonly FormType[]): FormType {
  if (offered.includes(type)) return type;
  const isNear = isOfOneVideo(type) && offered.includes('reference-to-video');
  return isNear ? 'reference-to-video' : (offered[0] ?? formDefaults.type);
}

function clampDuration(duration: number, model: Model): number {
  const { min, max, values } = model.duration;
  if (!Number.isFinite(duration)) return model.duration.default;
  const clamped = Math.min(Math.max(Math.round(duration), min), max);
  // The next longer one.
  return values?.find((value) => value >= clamped) ?? clamped;
}

function adaptChoice<Value>(
  value: Value,
  { offered, preferred }: { readonly offered: readonly Value[]; readonly preferred: Value },
): Value {
  if (offered.includes(value)) return value;
  return offered.includes(preferred) ? preferred : (offered[0] ?? value);
}

/** Returns the materials that the generation type sends. */
export function usedMaterials(
  form: GenerationForm,
): Readonly<Record<MaterialList, readonly string[]>> {
  const trimmedUrls = (list: MaterialList) => form[list].map((url) => url.trim()).filter(Boolean);
  const takesImages = form.type !== 'text-to-video';
  const takesVideos = takesImages && form.type !== 'image-to-video';
  const isExtension = form.type === 'video-extension';
  return {
    images: takesImages && !isExtension ? trimmedUrls('images') : [],
    videos: takesVideos ? trimmedUrls('videos') : [],
    audios: takesVideos && !isExtension ? trimmedUrls('audios') : [],
  };
}
