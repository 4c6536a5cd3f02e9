/** A create as a fake server reads it, and the rules that apply to it. */
import type { DialectName } from '../../../server/providers/openai-videos/dialect.ts';
import { parsed } from '../fake-upstream.ts';

export type ReceivedFile = {
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

export type Rules = {
  readonly dialect: DialectName;
  /** OpenAI's durations; a compatible server may have others. */
  readonly seconds: readonly string[];
  /** The model that an engine serves. */
  readonly model: string;
  /** Whether the engine's model requires an image. */
  readonly needsImage: boolean;
  /** Whether vLLM-Omni's model takes images, videos and audio files together. */
  readonly mixesReferences: boolean;
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
