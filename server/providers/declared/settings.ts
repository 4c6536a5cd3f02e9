/**
 * An upstream that speaks JSON, described by data alone: what is sent, where things stand in its
 * answers, and what its words mean. A description that would drop what a customer pays for is
 * refused at the start.
 */
import { aspectRatios, resolutions } from '@vidgen/contract/models.ts';
import { z } from 'zod';
import { Credentials, sharedSettings, upstreamModels } from '../settings.ts';
import { jsonPathPattern } from '../toolkit/json-path.ts';
import { placeholdersIn, placeholdersInKeys } from '../toolkit/placeholders.ts';
import { bodyProblem } from './template.ts';

const JsonPath = z.string().regex(jsonPathPattern, 'must be a place like output.files[0].url');
const Method = z.enum(['GET', 'POST', 'PUT', 'DELETE']);
const Path = z
  .string()
  .startsWith('/', 'must begin with /')
  .refine((path) => [...placeholdersIn(path)].every((name) => name === 'operation'), {
    error: 'may hold {{operation}} and no other placeholder',
  });
const OperationPath = Path.refine((path) => placeholdersIn(path).has('operation'), {
  error: 'must hold {{operation}}',
});
const HeaderName = z.string().regex(/^[\w-]{1,100}$/, 'must be the name of a header');
/** A word of theirs; `*` stands for any part of it. */
const Code = z.string().min(1);

/** What a state of theirs means. */
export const states = [
  'queued',
  'running',
  'completed',
  'failed',
  'rejected',
  'expired',
  'cancelled',
] as const;
export type State = (typeof states)[number];
/** `rejected-…`: where a code tells what of the content was refused. */
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
/** What an answer to a start proves. */
export const startMeanings = ['refused', 'try-another', 'throttled', 'unknown'] as const;

const Template = z.record(z.string(), z.json()).superRefine((body, context) => {
  const [key] = placeholdersInKeys(body);
  const problem = key === undefined ? bodyProblem(body) : `holds ${key} as the name of a field`;
  if (problem !== null) context.addIssue({ code: 'custom', message: problem });
});

const Start = z.strictObject({
  method: z.enum(['POST', 'PUT']).optional(),
  path: Path,
  headers: z.record(HeaderName, z.string()).optional(),
  body: Template,
  /** Where its id for the operation stands in the answer. */
  operation: JsonPath,
  /** The header by which it drops a second start of the same reference. Absent: it does not. */
  idempotencyKeyHeader: HeaderName.optional(),
});

const Status = z
  .strictObject({
    method: Method.optional(),
    path: OperationPath,
    state: JsonPath,
    states: z.record(Code, z.enum(states)),
    progress: JsonPath.optional(),
    /** What it tells when it is done: 100 unless you say otherwise. */
    progressMax: z.number().positive().optional(),
    /** Where the address of the video stands. */
    video: JsonPath.optional(),
    /** Or where the video itself is. */
    videoPath: OperationPath.optional(),
    lastFrame: JsonPath.optional(),
    outputSeconds: JsonPath.optional(),
  })
  .refine(({ video, videoPath }) => (video === undefined) !== (videoPath === undefined), {
    path: ['video'],
    error: 'or videoPath must say where the video is, one of both',
  })
  .refine((status) => Object.values(status.states).includes('completed'), {
    path: ['states'],
    error: 'must say which state is completed',
  });

const Errors = z.strictObject({
  code: JsonPath.optional(),
  message: JsonPath.optional(),
  /** Codes of a refused start or a failed operation. */
  reasons: z.record(Code, z.enum(reasons)).optional(),
  /** HTTP statuses and codes of a start, where the usual meaning is not theirs. */
  start: z.record(Code, z.enum(startMeanings)).optional(),
});

const Cancel = z.strictObject({
  method: Method.optional(),
  path: OperationPath,
  body: z.record(z.string(), z.json()).optional(),
  /** Only then is it sent: elsewhere it may erase a result. */
  from: z.array(z.enum(['queued', 'running'])).min(1),
});

const namesFor = <Name extends string>(names: readonly Name[]) =>
  z.partialRecord(z.enum(names), z.string().min(1));
const Size = z.string().regex(/^[1-9]\d{1,4}x[1-9]\d{1,4}$/, 'must be written like 1280x720');

export const DeclaredSettings = z.strictObject({
  kind: z.literal('declared'),
  ...sharedSettings,
  baseUrl: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }),
  apiKey: Credentials.optional(),
  /** `authorization: Bearer {{key}}` unless you say otherwise. */
  auth: z
    .strictObject({
      header: HeaderName,
      value: z.string().includes('{{key}}', { error: 'must hold {{key}}' }),
    })
    .optional(),
  models: upstreamModels,
  start: Start,
  status: Status,
  errors: Errors.optional(),
  cancel: Cancel.optional(),
  /** `with-key`: videos on its own host are fetched with our key. */
  results: z.enum(['public', 'with-key']).optional(),
  /** Its words for resolutions and ratios; what is not named it does not make. */
  resolutions: namesFor(resolutions).optional(),
  ratios: namesFor(aspectRatios).optional(),
  /** Its sizes in pixels; what is not named it does not make. */
  sizes: z
    .partialRecord(z.enum(resolutions), z.partialRecord(z.enum(aspectRatios), Size))
    .optional(),
  /** The only lengths it makes. */
  seconds: z.array(z.int().positive()).min(1).optional(),
  /** Whether it takes -1: as long as the video that is edited. */
  takesSourceLength: z.boolean().optional(),
  usualSeconds: z.number().positive().optional(),
  askAgainSeconds: z.number().positive().optional(),
  getPerSecond: z.number().positive().optional(),
});
export type DeclaredSettings = z.infer<typeof DeclaredSettings>;
