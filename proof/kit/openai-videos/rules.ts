/** A create as each kind of `/v1/videos` server reads it, and the fields that it accepts. */
import { modelNames } from '@vidgen/contract/models.ts';
import type { DialectName } from '../../../server/providers/openai-videos/dialect.ts';
import { type FakeResponse, type FieldMatcher, parsed, unmatchedField } from '../fake-upstream.ts';
import { engineError, openAiError, openRouterError, vidgenError } from './error-responses.ts';

type ReceivedFile = {
  /** Of the form. */
  readonly field: string;
  readonly name: string;
  readonly type: string;
  readonly bytes: Buffer;
};

export type ReceivedCreate = {
  readonly isForm: boolean;
  /** Numbers where they came as JSON; a form has only text. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly files: readonly ReceivedFile[];
};

/** Reads a body as a form or as JSON, with a parser that is not the service's own. */
export async function readCreate(body: Buffer, contentType: string): Promise<ReceivedCreate> {
  if (!contentType.startsWith('multipart/form-data')) {
    return { isForm: false, fields: parsed<Record<string, unknown>>(body), files: [] };
  }
  const headers = { 'content-type': contentType };
  const form = await new Response(new Uint8Array(body), { headers }).formData();
  const fields: Record<string, string> = {};
  const files: ReceivedFile[] = [];
  for (const [field, value] of form) {
    if (typeof value === 'string') fields[field] = value;
    else {
      const bytes = Buffer.from(await value.arrayBuffer());
      files.push({ field, name: value.name, type: value.type, bytes });
    }
  }
  return { isForm: true, fields, files };
}

export const openAiSeconds = ['4', '8', '12', '16', '20'] as const;

type Accepted = {
  readonly fields: Readonly<Record<string, FieldMatcher>>;
  /** Form fields with a file. */
  readonly files: readonly string[];
  /** Null where a start without a file may come either way. */
  readonly isForm: boolean | null;
};

const plain = { prompt: 'string', model: 'string', seconds: 'string', size: 'string' } as const;
const image = ['input_reference'];
const engineFields = {
  ...plain,
  seed: 'string',
  extra_params: 'string',
  // The fields that docs/self-hosting-models.md sends with every start.
  fps: 'string',
  num_inference_steps: 'string',
} as const;

/** `input_references` and the others as in vLLM-Omni's and SGLang's own request models. */
const accepted: Readonly<Record<DialectName, Accepted>> = {
  openai: {
    fields: {
      ...plain,
      model: ['sora-2', 'sora-2-pro'],
      size: ['720x1280', '1280x720', '1024x1792', '1792x1024'],
    },
    files: image,
    isForm: null,
  },
  gateway: { fields: { ...plain, seed: 'string' }, files: image, isForm: true },
  vllm: {
    fields: { ...engineFields, audio_reference: 'string' },
    files: [...image, 'input_references'],
    isForm: true,
  },
  sglang: { fields: engineFields, files: [...image, 'video_reference'], isForm: null },
  openrouter: {
    fields: {
      model: 'string',
      prompt: 'string',
      duration: 'number',
      resolution: ['480p', '720p', '768p', '1080p', '1K', '2K', '4K'],
      aspect_ratio: ['16:9', '9:16', '1:1', '4:3', '3:4', '3:2', '2:3', '21:9', '9:21'],
      size: 'string',
      seed: 'number',
      generate_audio: 'boolean',
      callback_url: 'url',
    },
    files: [],
    isForm: false,
  },
  vidgen: {
    fields: { ...plain, model: modelNames, callback_url: 'url' },
    files: image,
    isForm: null,
  },
};

/** Returns the rejection of a create that no recorded one looks like, or null. */
export function validate(
  { isForm, fields, files }: ReceivedCreate,
  server: {
    readonly dialect: DialectName;
    /** OpenAI's durations; a compatible server may have others. */
    readonly seconds: readonly string[];
    /** The model that an engine serves. */
    readonly model: string;
  },
): FakeResponse | null {
  const { dialect, seconds, model } = server;
  const { frame_images: _, input_references: __, ...plainFields } = fields;
  const expected = accepted[dialect];
  // JSON has numbers where a form has text.
  const texts = Object.fromEntries(
    Object.entries(plainFields).map(([name, value]) => [
      name,
      expected.fields[name] === 'string' ? String(value) : value,
    ]),
  );
  const field =
    unmatchedField(texts, expected.fields) ??
    files.find((file) => !expected.files.includes(file.field))?.field ??
    (expected.isForm === null || expected.isForm === isForm ? undefined : 'body') ??
    (dialect === 'openai' && !seconds.includes(String(fields.seconds)) ? 'seconds' : undefined);
  if (field !== undefined) return wrongField(dialect, field);
  if (dialect !== 'vllm' || fields.model === model) return null;
  const message = `Model mismatch: request specifies '${fields.model}'`;
  return engineError('vllm', 400, `${message} but server is running '${model}'.`);
}

function wrongField(dialect: DialectName, field: string): FakeResponse {
  const message = `${field}: Invalid input`;
  switch (dialect) {
    case 'vllm':
    case 'sglang':
      return engineError(dialect, 400, message);
    case 'openrouter':
      return openRouterError(400, message);
    case 'vidgen':
      return vidgenError('invalid_request', message);
    default:
      return openAiError(400, message, { param: field });
  }
}
