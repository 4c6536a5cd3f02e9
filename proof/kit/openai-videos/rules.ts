/** A create as each kind of `/v1/videos` server reads it. */
import type { DialectName } from '../../../server/providers/openai-videos/dialect.ts';
import { type FakeResponse, parsed } from '../fake-upstream.ts';
import { engineError, openAiError } from './error-responses.ts';

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

const image = ['input_reference'];

/** The form fields that may have a file, and whether a start is a form; null where it may be. */
const accepted: Readonly<
  Record<DialectName, { readonly files: readonly string[]; readonly isForm: boolean | null }>
> = {
  openai: { files: image, isForm: null },
  gateway: { files: image, isForm: true },
  vllm: { files: [...image, 'input_references'], isForm: true },
  sglang: { files: [...image, 'video_reference'], isForm: null },
  openrouter: { files: [], isForm: false },
  vidgen: { files: image, isForm: null },
};

/** Returns the rejection of a create that the server could not read, or null. */
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
  const expected = accepted[dialect];
  const field =
    files.find((file) => !expected.files.includes(file.field))?.field ??
    (expected.isForm === null || expected.isForm === isForm ? undefined : 'body') ??
    (dialect === 'openai' && !seconds.includes(String(fields.seconds)) ? 'seconds' : undefined);
  if (field !== undefined) return openAiError(400, `${field}: Invalid input`, { param: field });
  if (dialect !== 'vllm' || fields.model === model) return null;
  const message = `Model mismatch: request specifies '${fields.model}'`;
  return engineError('vllm', 400, `${message} but server is running '${model}'.`);
}
