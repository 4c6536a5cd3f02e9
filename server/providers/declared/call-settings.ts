/**
 * Settings of a declared provider's calls: what is sent to start, poll, find and cancel, and where
 * the responses have their values.
 */
import { generationTypes } from '@vidgen/contract/models.ts';
import { z } from 'zod';
import { placeholdersIn, placeholdersInKeys } from '../toolkit/placeholders.ts';
import { jsonPathPattern } from '../toolkit/response-values.ts';
import { bodyProblem } from './template.ts';

const JsonPath = z.string().regex(jsonPathPattern, 'must be a path like output.files[0].url');
const Method = z.enum(['GET', 'POST', 'PUT', 'DELETE']);
export const HeaderName = z.string().regex(/^[\w-]{1,100}$/, 'must be a header name');
const HeaderValue = z
  .string()
  .regex(/^[ -~]{0,1000}$/, 'must be printable ASCII of at most 1,000 characters');
export const Headers = z.record(HeaderName, HeaderValue);
/** A code or state of the upstream; `*` matches any text. */
const Code = z.string().min(1);

const listOf = (names: readonly string[]): string => names.map((name) => `{{${name}}}`).join(', ');

/** For `refine`: no placeholder but these. */
const onlyWith = (...names: readonly string[]) =>
  [
    (value: unknown) => [...placeholdersIn(value)].every((name) => names.includes(name)),
    { error: `may contain no placeholder other than ${listOf(names)}` },
  ] as const;

const pathWith = (...names: readonly string[]) =>
  z
    .string()
    .startsWith('/', 'must start with /')
    .refine(...onlyWith(...names));
/** The same path for every task, or one for each generation type that the upstream supports. */
const byType = <Path extends z.ZodType>(path: Path) =>
  z.union([path, z.partialRecord(z.enum(generationTypes), path)]);

const requires = (name: string) => ({
  test: (value: unknown) => placeholdersIn(value).has(name),
  error: `must contain {{${name}}}`,
});
const operation = requires('operation');
const OperationPath = pathWith('operation').refine(operation.test, { error: operation.error });
const Body = z.record(z.string(), z.json());

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
/**
 * `rejected-…`: for codes that say which part of the content was rejected. `cancelled`: the
 * upstream, or an operator there, stopped it and bills nothing.
 */
export const reasons = [
  'failed',
  'rejected',
  'rejected-prompt',
  'rejected-material',
  'rejected-input',
  'rejected-output',
  'material',
  'timed_out',
  'cancelled',
] as const;
/** What a response to a start proves. */
const startMeanings = ['refused', 'try-another', 'throttled', 'unknown'] as const;

const Template = Body.superRefine((body, context) => {
  const [key] = placeholdersInKeys(body);
  const problem = key === undefined ? bodyProblem(body) : `has ${key} as a field name`;
  if (problem !== null) context.addIssue({ code: 'custom', message: problem });
});

export const Start = z.strictObject({
  method: z.enum(['POST', 'PUT']).optional(),
  path: byType(pathWith('model')),
  /** Parameters of the URL; one without a value is omitted. */
  query: z
    .record(z.string().min(1), z.string().refine(...onlyWith('callback_url', 'reference', 'model')))
    .optional(),
  headers: Headers.optional(),
  body: Template,
  /** Where the response has the id of the operation. */
  operation: JsonPath,
  /** The header by which the upstream drops a second start with the same reference. */
  idempotencyKeyHeader: HeaderName.optional(),
});

/** A second call that returns the URL of the file, for an upstream that only names the file. */
const FileLookup = z.strictObject({
  /** Where the status has the id of the file. */
  id: JsonPath,
  path: pathWith('file').refine(requires('file').test, { error: requires('file').error }),
  /** Where the response has the URL of the video. */
  video: JsonPath,
});

/** The ways to the video; exactly one is configured. */
const videoPlaces = ['video', 'videoPath', 'videoBase64', 'file'] as const;

export const Status = z
  .strictObject({
    method: Method.optional(),
    path: byType(pathWith('operation', 'model')),
    /** For a status that is read by POST. */
    body: Body.refine(...onlyWith('operation', 'model')).optional(),
    state: JsonPath,
    states: z.record(Code, z.enum(states)),
    /** What a response without a state means; `completed` only with a video in it. */
    absentState: z.enum(['queued', 'running', 'completed']).optional(),
    progress: JsonPath.optional(),
    /** The progress of a finished operation; 100 by default. */
    progressMax: z.number().positive().optional(),
    /** Where the response has the URL of the video. */
    video: JsonPath.optional(),
    /** Or the path of the video itself. */
    videoPath: OperationPath.optional(),
    /** Or where the response has the video itself, as base64. */
    videoBase64: JsonPath.optional(),
    /** Or a second call that returns its URL. */
    file: FileLookup.optional(),
    lastFrame: JsonPath.optional(),
    outputSeconds: JsonPath.optional(),
    /** Where a finished operation has what it costs, as money in the currency of `costs`. */
    cost: JsonPath.optional(),
    /** Or the units that it is billed by, which `costs` has a price for. */
    units: z
      .strictObject({ at: JsonPath, unit: z.enum(['token', 'computeSecond', 'unit']) })
      .optional(),
    /** Or the seconds that it is billed for, at the rate of the model. */
    billedSeconds: z.strictObject({ output: JsonPath, input: JsonPath.optional() }).optional(),
  })
  .refine((status) => videoPlaces.filter((name) => status[name] !== undefined).length === 1, {
    path: ['video'],
    error: 'requires one of video, videoPath, videoBase64 and file',
  })
  .refine((status) => Object.values(status.states).includes('completed'), {
    path: ['states'],
    error: 'must define which state is completed',
  })
  .refine(({ path, body }) => pathsOf(path).every((one) => operation.test([one, body])), {
    path: ['path'],
    error: `${operation.error}, or status.body must`,
  })
  .refine(({ method = 'GET', body }) => body === undefined || method !== 'GET', {
    path: ['body'],
    error: 'cannot be sent with GET: set status.method to POST',
  });

/** All paths of a call. */
export const pathsOf = (path: string | Readonly<Record<string, string>>): readonly string[] =>
  typeof path === 'string' ? [path] : Object.values(path);

/** The first of several places that has a value. */
const ErrorPlace = z.union([JsonPath, z.array(JsonPath).min(1)]);

export const Errors = z.strictObject({
  code: ErrorPlace.optional(),
  message: ErrorPlace.optional(),
  /** Where a status has them, when that differs from a response to a start. */
  status: z
    .strictObject({ code: ErrorPlace.optional(), message: ErrorPlace.optional() })
    .optional(),
  /** By error code or message, for starts and for failed operations. */
  reasons: z.record(Code, z.enum(reasons)).optional(),
  /** Codes or messages of a 4xx response to a poll that mean the end of the operation. */
  ends: z.array(Code).min(1).optional(),
  /** Codes or messages of a successful poll whose video is withheld, even where it has a URL. */
  withheld: z.array(Code).min(1).optional(),
  /** By HTTP status or error code, for starts that differ from the default meaning. */
  start: z.record(Code, z.enum(startMeanings)).optional(),
});

export const Cancel = z.strictObject({
  method: Method.optional(),
  path: OperationPath,
  body: Body.optional(),
  /** Sent in these states only: in others it may erase a result. */
  from: z.array(z.enum(['queued', 'running'])).min(1),
});

/** Finds a start whose response was lost, by our reference. */
export const Find = z
  .strictObject({
    path: byType(pathWith('reference', 'model')),
    /** Where the response has a list of operations; without it, the response is the operation. */
    list: JsonPath.optional(),
    /** Where an operation has our reference, or a URL that contains it. */
    reference: JsonPath,
    /** Where it has its id. */
    operation: JsonPath,
    /** Codes or HTTP statuses which prove that the upstream never accepted the reference. */
    absent: z.array(Code).min(1).optional(),
    /** How long after a start its operation may still appear. */
    settleSeconds: z.number().positive().optional(),
  })
  .refine(
    ({ list, path }) => list !== undefined || pathsOf(path).every(requires('reference').test),
    {
      path: ['path'],
      error: `${requires('reference').error}, or set find.list`,
    },
  )
  .refine(({ list, absent }) => list === undefined || absent === undefined, {
    path: ['absent'],
    error: 'cannot be proved by a list, which may be incomplete: remove it',
  });

export const Callbacks = z.strictObject({
  /** Where a callback has the id of the operation. */
  operation: JsonPath.optional(),
  /** `standard-webhooks-hex`: signatures in hexadecimal, and a secret that is not base64. */
  signature: z.enum(['standard-webhooks', 'standard-webhooks-hex']).optional(),
  /** The upstream refuses other URLs, so an http callback URL is not sent. */
  httpsOnly: z.boolean().optional(),
});
