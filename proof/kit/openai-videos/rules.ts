/** What each kind of `/v1/videos` server accepts as a create, and how it rejects the rest. */
import { modelNames } from '@vidgen/contract/models.ts';
import type { FakeResponse } from '../fake-upstream.ts';
import { validateSglang, validateVllm } from './engine-rules.ts';
import { openAiError, openRouterError, vidgenError } from './error-responses.ts';
import type { ReceivedCreate, Rules } from './received-create.ts';

export const openAiSeconds = ['4', '8', '12', '16', '20'] as const;
const openAiModels = ['sora-2', 'sora-2-pro'];
const openAiSizes = ['720x1280', '1280x720', '1024x1792', '1792x1024'];
const proSizes = ['1080x1920', '1920x1080'];
const openAiFields = ['prompt', 'model', 'seconds', 'size', 'input_reference'];
/** `CreateVideoRequest` of this service. */
const vidgenFields = [...openAiFields, 'callback_url', 'user'];

/** Fields that make a server read its own files or fetch from its internal network. */
export const dangerousFields = [
  ...['video_path', 'output_path', 'perf_dump_path', 'reference_url', 'video_url'],
  ...['image_reference', 'video_reference', 'audio_reference', 'frame_interpolation_model_path'],
];

/** Returns the rejection of a create, or null when it is accepted. */
export function validate(create: ReceivedCreate, rules: Rules): FakeResponse | null {
  switch (rules.dialect) {
    case 'openai':
      return validateOpenAi(create, rules);
    case 'vllm':
      return validateVllm(create, rules);
    case 'sglang':
      return validateSglang(create, rules);
    case 'openrouter':
      return validateOpenRouter(create);
    case 'vidgen':
      return validateVidgen(create);
    case 'gateway':
      return create.fields.prompt ? null : openAiError(400, 'prompt is required');
  }
}

function validateOpenAi({ fields, files }: ReceivedCreate, rules: Rules): FakeResponse | null {
  const { prompt, model = 'sora-2', seconds = '4', size = '720x1280' } = fields;
  const wrong = (param: string, message: string, code: string | null = null) =>
    openAiError(400, message, { param, code });
  const names = [...Object.keys(fields), ...files.map(({ field }) => field)];
  const unknown = names.find((name) => !openAiFields.includes(name));
  if (unknown) return wrong(unknown, `Unknown parameter: '${unknown}'.`, 'unknown_parameter');
  if (typeof prompt !== 'string' || prompt === '' || prompt.length > 32_000) {
    return wrong('prompt', 'Missing required parameter: prompt.');
  }
  if (!openAiModels.includes(String(model))) {
    return wrong('model', `The model '${model}' does not exist.`, 'model_not_found');
  }
  if (!rules.seconds.includes(String(seconds))) {
    return wrong('seconds', `Invalid value: '${seconds}'.`, 'invalid_value');
  }
  const sizes = model === 'sora-2-pro' ? [...openAiSizes, ...proSizes] : openAiSizes;
  if (!sizes.includes(String(size))) {
    return wrong('size', `Invalid value: '${size}'.`, 'invalid_value');
  }
  const [file] = files;
  if (file && !/^image\/(jpeg|png|webp)$/.test(file.type)) {
    return wrong('input_reference', 'Unsupported type of the reference image.');
  }
  return null;
}

function validateVidgen({ fields, files }: ReceivedCreate): FakeResponse | null {
  const names = [...Object.keys(fields), ...files.map(({ field }) => field)];
  const unknown = names.find((name) => !vidgenFields.includes(name));
  if (unknown) return vidgenError('invalid_request', `${unknown} is not a known field`);
  if (!modelNames.some((name) => name === fields.model)) {
    return vidgenError('invalid_request', `model must be one of ${modelNames.join(', ')}`);
  }
  const isSize = /^[1-9]\d{1,4}x[1-9]\d{1,4}$/.test(String(fields.size));
  return isSize ? null : vidgenError('invalid_request', 'size must be WIDTHxHEIGHT');
}

const openRouterFields = [
  ...['model', 'prompt', 'duration', 'resolution', 'aspect_ratio', 'size', 'seed', 'provider'],
  ...['generate_audio', 'frame_images', 'input_references', 'callback_url'],
];
const openRouterRatios = ['16:9', '9:16', '1:1', '4:3', '3:4', '3:2', '2:3', '21:9', '9:21'];
const openRouterResolutions = ['480p', '720p', '768p', '1080p', '1K', '2K', '4K'];

/** Lists of `{ type, <type>: { url } }`. */
const areParts = (list: unknown, types: readonly string[]): boolean =>
  Array.isArray(list) &&
  list.every((part) => types.includes(part?.type) && /^https?:/.test(part[part.type]?.url));

function validateOpenRouter({ isForm, fields }: ReceivedCreate): FakeResponse | null {
  const wrong = (field: string) => openRouterError(400, `${field}: Invalid input`);
  if (isForm) return openRouterError(400, 'Invalid JSON body');
  const { model, prompt, duration, resolution = '720p', aspect_ratio: ratio = '16:9' } = fields;
  const unknown = Object.keys(fields).find((name) => !openRouterFields.includes(name));
  if (unknown) return wrong(unknown);
  if (!model) return wrong('model');
  if (typeof prompt !== 'string' || prompt === '') return wrong('prompt');
  if (!Number.isInteger(duration) || Number(duration) < 1) return wrong('duration');
  if (!openRouterResolutions.includes(String(resolution))) return wrong('resolution');
  if (!openRouterRatios.includes(String(ratio))) return wrong('aspect_ratio');
  const { frame_images: frames = [], input_references: references = [] } = fields;
  if (!areParts(frames, ['image_url'])) return wrong('frame_images');
  const isFrame = ({ frame_type: type }: { frame_type?: unknown }) =>
    type === 'first_frame' || type === 'last_frame';
  if (!(frames as object[]).every(isFrame)) return wrong('frame_images');
  return areParts(references, ['image_url', 'video_url', 'audio_url'])
    ? null
    : wrong('input_references');
}
