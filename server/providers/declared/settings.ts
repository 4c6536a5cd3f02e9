/**
 * Settings of a declared provider: a JSON API described by data alone, with what is sent, where
 * values are in its responses, and what its codes mean. A description that would ignore what a
 * customer pays for is a configuration error.
 */
import { aspectRatios, resolutions } from '@vidgen/contract/models.ts';
import { z } from 'zod';
import { Credentials, httpUrl, PixelSize, sharedSettings, upstreamModels } from '../settings.ts';
import { jsonPathPattern } from '../toolkit/json-path.ts';
import { placeholdersIn, placeholdersInKeys } from '../toolkit/placeholders.ts';
import { bodyProblem } from './template.ts';

const JsonPath = z.string().regex(jsonPathPattern, 'must be a path like output.files[0].url');
const Method = z.enum(['GET', 'POST', 'PUT', 'DELETE']);
const Path = z
  .string()
  .startsWith('/', 'must start with /')
  .refine((path) => [...placeholdersIn(path)].every((name) => name === 'operation'), {
    error: 'may contain no placeholder other than {{operation}}',
  });
const OperationPath = Path.refine((path) => placeholdersIn(path).has('operation'), {
  error: 'must contain {{operation}}',
});
const HeaderName = z.string().regex(/^[\w-]{1,100}$/, 'must be a header name');
/** A code or state of the upstream; `*` matches any text. */
const Code = z.string().min(1);

const states = [
  'queued',
  'running',
  'completed',
  'failed',
  'rejected',
  'expired',
  'cancelled',
] as const;
export type State = (typeof states)[number];
/** `rejected-…`: for codes that say which part of the content was rejected. */
export const reasons = [
  'failed',
  'rejected',
  'rejected-prompt',
  'rejected-material',
  'rejected-input',
  'rejected-output',
  'material',
  'timed_out',
] as const;
/** What a response to a start proves. */
const startMeanings = ['refused', 'try-another', 'throttled', 'unknown'] as const;

const Template = z.record(z.string(), z.json()).superRefine((body, context) => {
  const [key] = placeholdersInKeys(body);
  const problem = key === undefined ? bodyProblem(body) : `has ${key} as a field name`;
  if (problem !== null) context.addIssue({ code: 'custom', message: problem });
});

const Start = z.strictObject({
  method: z.enum(['POST', 'PUT']).optional(),
  path: Path,
  headers: z.record(HeaderName, z.string()).optional(),
  body: Template,
  /** Where the response has the id of the operation. */
  operation: JsonPath,
  /** The header by which the upstream drops a second start with the same reference. */
  idempotencyKeyHeader: HeaderName.optional(),
});

const Status = z
  .strictObject({
    method: Method.optional(),
    path: OperationPath,
    state: JsonPath,
    states: z.record(Code, z.enum(states)),
    progress: JsonPath.optional(),
    /** The progress of a finished operation; 100 by default. */
    progressMax: z.number().positive().optional(),
    /** Where the response has the URL of the video. */
    video: JsonPath.optional(),
    /** Or the path of the video itself. */
    videoPath: OperationPath.optional(),
    lastFrame: JsonPath.optional(),
    outputSeconds: JsonPath.optional(),
  })
  .refine(({ video, videoPath }) => (video === undefined) !== (videoPath === undefined), {
    path: ['video'],
    error: 'requires either video or videoPath',
  })
  .refine((status) => Object.values(status.states).includes('completed'), {
    path: ['states'],
    error: 'must define which state is completed',
  });

const Errors = z.strictObject({
  code: JsonPath.optional(),
  message: JsonPath.optional(),
  /** By error code, for starts and for failed operations. */
  reasons: z.record(Code, z.enum(reasons)).optional(),
  /** By HTTP status or error code, for starts that differ from the default meaning. */
  start: z.record(Code, z.enum(startMeanings)).optional(),
});

const Cancel = z.strictObject({
  method: Method.optional(),
  path: OperationPath,
  body: z.record(z.string(), z.json()).optional(),
  /** Sent in these states only: in others it may erase a result. */
  from: z.array(z.enum(['queued', 'running'])).min(1),
});

const namesFor = <Name extends string>(names: readonly Name[]) =>
  z.partialRecord(z.enum(names), z.string().min(1));

export const DeclaredSettings = z.strictObject({
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
  models: upstreamModels,
  start: Start,
  status: Status,
  errors: Errors.optional(),
  cancel: Cancel.optional(),
  /** `with-key`: videos on the configured host are downloaded with the API key. */
  results: z.enum(['public', 'with-key']).optional(),
  /** The upstream's names; what is missing is not supported. */
  resolutions: namesFor(resolutions).optional(),
  ratios: namesFor(aspectRatios).optional(),
  /** Sizes in pixels; what is missing is not supported. */
  sizes: z
    .partialRecord(z.enum(resolutions), z.partialRecord(z.enum(aspectRatios), PixelSize))
    .optional(),
  /** The only lengths it makes. */
  seconds: z.array(z.int().positive()).min(1).optional(),
  /** Whether it accepts -1: as long as the video that is edited. */
  takesSourceLength: z.boolean().optional(),
  usualSeconds: z.number().positive().optional(),
  askAgainSeconds: z.number().positive().optional(),
});
export type DeclaredSettings = z.infer<typeof DeclaredSettings>;
