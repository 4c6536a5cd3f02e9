/** A create as each kind of `/v1/videos` server reads it. */
import { parsed } from '../fake-upstream.ts';

type ReceivedFile = {
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
