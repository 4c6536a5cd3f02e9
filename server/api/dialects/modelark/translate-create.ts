/**
 * Translates ModelArk's create request into ours. What this service cannot do is rejected by name,
 * never ignored: it could change the video or its price.
 */
import { type ApiError, invalidRequest } from '@vidgen/contract/api-error.ts';
import {
  type CreateGenerationRequest,
  editingDuration,
} from '@vidgen/contract/create-generation.ts';
import {
  type ModelArkContent,
  ModelArkCreateRequest,
  type ModelArkTaskType,
} from '@vidgen/contract/modelark.ts';
import type { GenerationType } from '@vidgen/contract/models.ts';
import type { Model } from '../../../catalog/models.ts';
import type { TaskDialect } from '../../../tasks/task.ts';
import { parseBody } from '../../http/parse-request.ts';
import type { FieldNames, TranslatedCreate } from '../translated-create.ts';
import { ModelArkError } from './errors.ts';

type Kind = 'image' | 'video' | 'audio';

type ModelArkCreate = TranslatedCreate & {
  readonly body: CreateGenerationRequest;
  readonly dialect: TaskDialect;
};

export function translateCreate(
  body: unknown,
  findModel: (name: string) => Model | undefined,
): ModelArkCreate {
  requireSupported(body);
  const create = parseBody(ModelArkCreateRequest, body);
  const model = findModel(create.model);
  if (model === undefined) throw unknownModel(create.model);
  const { content } = create;
  const generationType = generationTypeOf(content);
  const positions = {
    image: positionsOf(content, 'image'),
    video: positionsOf(content, 'video'),
    audio: positionsOf(content, 'audio'),
  };
  const urls = (kind: Kind) => positions[kind].map((at) => content[at]![`${kind}_url`]!.url);
  const input: CreateGenerationRequest['input'] = {
    prompt: promptOf(content),
    generation_type: generationType,
    image_urls: urls('image'),
    video_urls: urls('video'),
    audio_urls: urls('audio'),
    ...present({
      duration: durationOf(create, model),
      aspect_ratio: create.ratio,
      resolution: create.resolution?.toLowerCase(),
      generate_audio: create.generate_audio,
      watermark: create.watermark,
      return_last_frame: create.return_last_frame,
      web_search: create.tools && create.tools.length > 0,
      // -1 is a random one: the default, which `vidgen-2-5` does not take.
      seed: create.seed === -1 ? undefined : create.seed,
    }),
  };
  return {
    body: { model: model.name, input, ...present({ callback_url: create.callback_url }) },
    dialect: {
      name: 'modelark',
      model: create.model,
      executionExpiresAfter: create.execution_expires_after,
      priority: create.priority,
      safetyIdentifier: create.safety_identifier,
      taskType: create.omni_reference_task_type,
    },
    fieldNames: fieldNamesOf(positions),
  };
}

type Present<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

const present = <T extends object>(fields: T): Present<T> =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Present<T>;

const unknownModel = (name: string): ApiError =>
  new ModelArkError('not_found', {
    modelArkCode: 'InvalidEndpointOrModel.NotFound',
    message:
      `${name === '' ? 'an empty model' : `model ${JSON.stringify(name.slice(0, 100))}`} is not ` +
      'served here; use a model of GET /v1/models, or ask the operator for an alias',
  });

/** Values of older models, or of features that this service does not have. */
const unsupported: Readonly<Record<string, (value: unknown) => boolean>> = {
  frames: () => true,
  camera_fixed: (value) => value === true,
  draft: (value) => value === true,
  service_tier: (value) => value === 'flex',
  output_format: (value) => value === 'mov',
};

function requireSupported(body: unknown): void {
  const fields = Object.entries(typeof body === 'object' && body !== null ? body : {});
  const found = fields.find(
    ([name, value]) => Object.hasOwn(unsupported, name) && unsupported[name]!(value),
  );
  if (!found) return;
  throw new ModelArkError('invalid_request', {
    modelArkCode: 'InvalidParameter.UnsupportedParameter',
    message: `${found[0]} is not supported by this service; omit it`,
  });
}

const invalidContent = (message: string): ApiError =>
  invalidRequest(`content is not valid: ${message}`);

/** The roles of each type, and whether none is one of them. */
const rolesOf: Readonly<Record<ModelArkContent['type'], readonly (string | undefined)[]>> = {
  text: [undefined],
  image_url: [undefined, 'first_frame', 'last_frame', 'reference_image'],
  video_url: ['reference_video'],
  audio_url: ['reference_audio'],
};

function generationTypeOf(content: readonly ModelArkContent[]): GenerationType {
  for (const { type, role, ...item } of content) {
    if (item[type] === undefined) throw invalidContent(`an item of type ${type} needs ${type}`);
    if (!rolesOf[type].includes(role)) {
      const roles = rolesOf[type].flatMap((one) => one ?? []).join(', ') || 'none';
      throw invalidContent(`role of ${type} must be ${roles}`);
    }
  }
  const images = content.filter(({ type }) => type === 'image_url');
  if (images.length > 1 && images.some(({ role }) => role === undefined)) {
    throw invalidContent('role must be specified for every image when there are several');
  }
  const countOf = (name: string) => content.filter(({ role }) => role === name).length;
  const firstCount = countOf('first_frame');
  const lastCount = countOf('last_frame');
  if (firstCount > 1 || lastCount > 1) {
    throw invalidContent('at most one first frame and one last frame are allowed');
  }
  if (lastCount > firstCount) throw invalidContent('a last frame requires a first frame');
  const hasFrames = images.some(({ role }) => role !== 'reference_image');
  const hasReferences = content.some(({ role }) => role?.startsWith('reference_'));
  if (hasFrames && hasReferences) {
    throw invalidContent('frames cannot be mixed with references; use one or the other');
  }
  if (hasReferences) return 'reference-to-video';
  return hasFrames ? 'image-to-video' : 'text-to-video';
}

function promptOf(content: readonly ModelArkContent[]): string {
  const texts = content.flatMap(({ type, text }) => (type === 'text' ? (text ?? '') : []));
  if (texts.length === 0) {
    throw new ModelArkError('invalid_request', {
      modelArkCode: 'MissingParameter',
      message: 'content must have a text item, the prompt',
    });
  }
  return texts.join('\n');
}

/** The first frame before the last one, in whichever order they come; others in their order. */
function positionsOf(content: readonly ModelArkContent[], kind: Kind): number[] {
  const positions = [...content.keys()].filter((at) => content[at]!.type === `${kind}_url`);
  const isLast = (at: number) => Number(content[at]!.role === 'last_frame');
  return positions.toSorted((one, other) => isLast(one) - isLast(other));
}

/** ModelArk names the kind of task; here a duration of -1 does. */
function durationOf(create: ModelArkCreateRequest, model: Model): number | undefined {
  const { omni_reference_task_type: type, duration, ratio = 'adaptive', content } = create;
  if (type === undefined) return duration;
  if (model.limits.editing === null) {
    throw new ModelArkError('invalid_request', {
      modelArkCode: 'InvalidParameter.UnsupportedParameter',
      message: `omni_reference_task_type is not supported by ${model.name}; omit it`,
    });
  }
  const hasVideo = content.some(({ role }) => role === 'reference_video');
  const isEditLength = duration === undefined || duration === editingDuration;
  const constraint = {
    auto: null,
    reference: duration === editingDuration ? 'a duration of 4 or more' : null,
    edit:
      hasVideo && isEditLength && ratio === 'adaptive'
        ? null
        : 'a reference video, duration -1 and ratio adaptive',
    extend:
      hasVideo && duration !== editingDuration && ratio === 'adaptive'
        ? null
        : 'a reference video, a duration of 4 or more and ratio adaptive',
  } satisfies Record<ModelArkTaskType, string | null>;
  const missing = constraint[type];
  if (missing === null) return type === 'edit' ? -1 : duration;
  throw new ModelArkError('invalid_request', {
    modelArkCode: 'InvalidParameter.TaskTypeConstraint',
    message: `omni_reference_task_type ${type} needs ${missing}`,
  });
}

const usualNames: FieldNames = {
  prompt: 'content (the text)',
  generation_type: 'content',
  aspect_ratio: 'ratio',
  web_search: 'tools',
  image_urls: 'content (images)',
  video_urls: 'content (videos)',
  audio_urls: 'content (audio)',
  ...Object.fromEntries(
    ['duration', 'resolution', 'generate_audio', 'watermark', 'return_last_frame', 'seed'].map(
      (name) => [name, name],
    ),
  ),
};

const fieldNamesOf = (positions: Readonly<Record<Kind, readonly number[]>>): FieldNames => ({
  ...usualNames,
  ...Object.fromEntries(
    (['image', 'video', 'audio'] as const).flatMap((kind) =>
      positions[kind].map((at, index) => [`${kind}_urls[${index}]`, `content[${at}].${kind}_url`]),
    ),
  ),
});
