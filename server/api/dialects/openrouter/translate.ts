/** Requests in OpenRouter's format as our own create. Our own defaults apply. */
import { invalidRequest } from '@vidgen/contract/api-error.ts';
import { formatValue } from '@vidgen/contract/format-value.ts';
import type { Resolution } from '@vidgen/contract/models.ts';
import type { CreateVideoJobRequest } from '@vidgen/contract/openrouter-videos.ts';
import type { Catalog } from '../../../catalog/catalog.ts';
import { resolveModel, type TranslatedCreate } from '../translated-create.ts';
import { formatOfSize, nearestResolution, resolutionsOf, type SizedModel } from '../video-size.ts';

export function translateJob(catalog: Catalog, body: CreateVideoJobRequest): TranslatedCreate {
  const { prompt, duration, seed, generate_audio, callback_url } = body;
  const model = resolveModel(catalog, body.model);
  const materials = materialsOf(body);
  const isImageToVideo = materials.input.generation_type === 'image-to-video';
  const limits = catalog.find(model)?.limits;
  const adapts = isImageToVideo && limits?.aspectRatios['image-to-video'].join() === 'adaptive';
  return {
    body: {
      model,
      ...(callback_url === undefined ? {} : { callback_url }),
      input: {
        prompt,
        ...materials.input,
        ...(duration === undefined ? {} : { duration: outputSeconds(duration) }),
        ...formatOf(body, { model, limits, adapts: adapts ?? false }),
        ...(seed === undefined ? {} : { seed }),
        ...(generate_audio === undefined ? {} : { generate_audio }),
      },
    },
    fieldNames: {
      prompt: 'prompt',
      duration: 'duration',
      seed: 'seed',
      resolution: body.size === undefined ? 'resolution' : 'size',
      aspect_ratio: body.aspect_ratio === undefined && body.size ? 'size' : 'aspect_ratio',
      ...materials.fieldNames,
    },
  };
}

/** -1 would be an edit of ours. */
function outputSeconds(duration: number): number {
  if (duration >= 0) return duration;
  throw invalidRequest(`duration must be at least 0 (got ${duration})`);
}

/** `adapts`: the model takes the aspect ratio from the first frame, whatever the size says. */
function formatOf(
  { size, resolution, aspect_ratio }: CreateVideoJobRequest,
  { adapts, ...of }: SizedModel & { readonly adapts: boolean },
) {
  const ofSize = size === undefined ? null : formatOfSize(size, of);
  const sizeRatio = ofSize && (adapts ? 'adaptive' : ofSize.aspectRatio);
  const named = resolution === undefined ? ofSize?.resolution : resolutionOf(resolution, of);
  const ratio = aspect_ratio ?? sizeRatio;
  return {
    ...(named ? { resolution: named } : {}),
    ...(ratio ? { aspect_ratio: ratio } : {}),
  };
}

function resolutionOf(text: string, of: SizedModel): Resolution {
  const known = resolutionsOf(of);
  const exact = known.find((name) => name === text.toLowerCase());
  if (exact) return exact;
  const height = /^(\d{3,4})p$/.exec(text)?.[1];
  if (height !== undefined) return nearestResolution(Number(height), of);
  throw invalidRequest(`resolution must be one of ${known.join(', ')} (got ${formatValue(text)})`);
}

type Materials = {
  readonly input: Readonly<Record<string, unknown>>;
  readonly fieldNames: Record<string, string>;
};

function materialsOf({
  frame_images = [],
  input_references = [],
}: CreateVideoJobRequest): Materials {
  if (frame_images.length > 0 && input_references.length > 0) {
    throw invalidRequest('input_references must be omitted with frame_images');
  }
  if (frame_images.length > 0) return framesOf(frame_images);
  return input_references.length > 0
    ? referencesOf(input_references)
    : { input: {}, fieldNames: {} };
}

function framesOf(frames: NonNullable<CreateVideoJobRequest['frame_images']>): Materials {
  const first = frames.findIndex(({ frame_type }) => frame_type === 'first_frame');
  const last = frames.findIndex(({ frame_type }) => frame_type === 'last_frame');
  if (first === -1) throw invalidRequest('frame_images must contain a first_frame');
  const used = last === -1 ? [first] : [first, last];
  if (frames.length > used.length) {
    throw invalidRequest(`frame_images must have one image per frame_type (got ${frames.length})`);
  }
  return {
    input: {
      generation_type: 'image-to-video',
      image_urls: used.map((at) => frames[at]!.image_url.url),
    },
    fieldNames: Object.fromEntries(
      used.map((at, nth) => [`image_urls[${nth}]`, `frame_images[${at}].image_url.url`]),
    ),
  };
}

const lists = {
  image_url: 'image_urls',
  video_url: 'video_urls',
  audio_url: 'audio_urls',
} as const;

function referencesOf(
  references: NonNullable<CreateVideoJobRequest['input_references']>,
): Materials {
  const urls: Record<string, string[]> = {};
  const fieldNames: Record<string, string> = {
    image_urls: 'input_references',
    video_urls: 'input_references',
    audio_urls: 'input_references',
  };
  for (const [at, reference] of references.entries()) {
    const field = `input_references[${at}].${reference.type}`;
    const url = reference[reference.type]?.url;
    if (url === undefined) throw invalidRequest(`${field} is required`);
    const list = lists[reference.type];
    fieldNames[`${list}[${urls[list]?.length ?? 0}]`] = `${field}.url`;
    urls[list] = [...(urls[list] ?? []), url];
  }
  return { input: { generation_type: 'reference-to-video', ...urls }, fieldNames };
}
