/**
 * Settings of a declared provider: a JSON API described by data alone, with what is sent, where
 * values are in its responses, and what its codes mean. A description that would ignore what a
 * customer pays for is a configuration error.
 */
import { ModelId, ResolutionName } from '@vidgen/contract/model-name.ts';
import {
  aspectRatios,
  type GenerationType,
  generationTypes,
  type ModelName,
} from '@vidgen/contract/models.ts';
import { z } from 'zod';
import {
  Credential,
  Credentials,
  httpUrl,
  PixelSize,
  sharedSettings,
  upstreamModels,
} from '../settings.ts';
import { placeholdersIn } from '../toolkit/placeholders.ts';
import {
  Callbacks,
  Cancel,
  Errors,
  Find,
  HeaderName,
  Headers,
  pathsOf,
  Start,
  Status,
} from './call-settings.ts';
import { shapeProblem } from './template.ts';

const Name = z.string().min(1);
const SoundValue = z
  .union([z.string(), z.number(), z.boolean()], { error: 'must be text, a number, true or false' })
  .optional();

/** What the upstream can make. */
const limits = {
  /** The upstream's names; what is missing is not supported. */
  resolutions: z.record(ResolutionName, Name).optional(),
  /** Null: supported, and the field is left out. */
  ratios: z.partialRecord(z.enum(aspectRatios), Name.nullable()).optional(),
  /** Sizes in pixels; what is missing is not supported. */
  sizes: z.record(ResolutionName, z.partialRecord(z.enum(aspectRatios), PixelSize)).optional(),
  /** The only lengths it makes. */
  seconds: z.array(z.int().positive()).min(1).optional(),
  /** What `{{sound}}` is instead of true and false; what is missing is left out. */
  sound: z.strictObject({ on: SoundValue, off: SoundValue }).optional(),
};

const Described = z.strictObject({
  kind: z.literal('declared'),
  ...sharedSettings,
  baseUrl: httpUrl,
  apiKey: Credentials.optional(),
  /** `authorization: Bearer {{key}}` by default. */
  auth: z
    .strictObject({
      header: HeaderName,
      value: z.string().includes('{{key}}', { error: 'must contain {{key}}' }),
    })
    .optional(),
  /** Sent with every call. */
  headers: Headers.optional(),
  models: upstreamModels,
  start: Start,
  status: Status,
  errors: Errors.optional(),
  cancel: Cancel.optional(),
  find: Find.optional(),
  callbacks: Callbacks.optional(),
  /** The secret that callbacks are signed with; without it they are not verified. */
  webhookSecret: Credential.optional(),
  /** `with-key`: videos on the configured host are downloaded with the API key. */
  results: z.enum(['public', 'with-key']).optional(),
  /** How materials are sent: as their URLs by default, or as their content. */
  materials: z.enum(['url', 'base64', 'data-url']).optional(),
  ...limits,
  /** What differs for a model; each replaces the setting of all models. */
  byModel: z
    .record(ModelId, z.strictObject({ ...limits, supports: sharedSettings.supports }))
    .optional(),
  /** The upstream's names of generation types, for `{{generation_type}}`. */
  types: z.partialRecord(z.enum(generationTypes), Name).optional(),
  /** An image-to-video has the shape of its first frame, so it supports `adaptive` only. */
  followsFirstFrame: z.boolean().optional(),
  /** The largest seed that it takes; larger ones are folded. */
  seedMax: z.int().positive().optional(),
  /** Whether it accepts -1: as long as the video that is edited. */
  takesSourceLength: z.boolean().optional(),
  usualSeconds: z.number().positive().optional(),
  askAgainSeconds: z.number().positive().optional(),
});
export type DeclaredSettings = z.infer<typeof Described>;

export const DeclaredSettings = Described.superRefine((settings, context) => {
  for (const [path, message] of problemsIn(settings)) {
    context.addIssue({ code: 'custom', path: path.split('.'), message });
  }
});

/** What is wrong between settings, each with the path of the setting to change. */
function* problemsIn(settings: DeclaredSettings): Generator<readonly [string, string]> {
  const { start, status, cancel, find, callbacks, webhookSecret } = settings;
  for (const model of [undefined, ...Object.keys(settings.byModel ?? {})]) {
    const shape = shapeProblem(start.body, model ? settingsFor(settings, model) : settings);
    if (shape === null) continue;
    yield ['start.body', shape];
    break;
  }
  for (const [name, call] of Object.entries({ status, find })) {
    const missing = typesOf(start.path).find((type) => call && !typesOf(call.path).includes(type));
    if (missing) yield [`${name}.path`, `lacks ${missing}, which start.path has: add it`];
  }
  if (cancel && dependsOnTask(status)) {
    yield ['cancel', 'needs a status path without {{model}} and for all types: remove it'];
  }
  if (find && start.idempotencyKeyHeader !== undefined) {
    yield ['find', 'is not used with start.idempotencyKeyHeader: remove one of them'];
  }
  const places = [start.body, start.query];
  const isSent = (name: string): boolean => placeholdersIn(places).has(name);
  if (find && !isSent('reference') && !isSent('callback_url')) {
    yield ['find', 'finds nothing: put {{reference}} or {{callback_url}} into start.body'];
  }
  if ((callbacks || webhookSecret) && !isSent('callback_url')) {
    const name = callbacks ? 'callbacks' : 'webhookSecret';
    yield [name, 'is unused: put {{callback_url}} into start.body or start.query'];
  }
}

/** The settings with what differs for a model. */
export const settingsFor = <Settings extends Pick<DeclaredSettings, 'byModel'>>(
  settings: Settings,
  model: ModelName,
): Settings => ({ ...settings, ...settings.byModel?.[model] });

export const typesOf = (path: DeclaredSettings['start']['path']): readonly GenerationType[] =>
  generationTypes.filter((type) => typeof path === 'string' || path[type] !== undefined);

/** Whether a poll needs the task itself; a cancel has only the operation. */
export const dependsOnTask = ({ path, body }: DeclaredSettings['status']): boolean =>
  typeof path !== 'string' || placeholdersIn([...pathsOf(path), body]).has('model');
