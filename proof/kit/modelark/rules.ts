/** A create request as ModelArk accepts it, and the parameters that it reads from a prompt. */
import { type FieldMatcher, unmatchedField } from '../fake-upstream.ts';
import type { DocumentedCode } from './errors.ts';

export type Item = {
  readonly type: string;
  readonly text?: string;
  readonly image_url?: { readonly url: string };
  readonly video_url?: { readonly url: string };
  readonly audio_url?: { readonly url: string };
  readonly role?: string;
};

export type ModelArkCreateBody = {
  readonly model: string;
  readonly content: readonly Item[];
  readonly resolution?: string;
  readonly ratio?: string;
  readonly duration?: number;
  readonly seed?: number;
  readonly generate_audio?: boolean;
  readonly return_last_frame?: boolean;
  readonly omni_reference_task_type?: string;
  readonly execution_expires_after?: number;
  readonly safety_identifier?: string;
  readonly callback_url?: string;
};

const models = [
  'dreamina-seedance-2-5-260628',
  'dreamina-seedance-2-0-260128',
  'dreamina-seedance-2-0-fast-260128',
  'dreamina-seedance-2-0-mini-260615',
];

const fields: Readonly<Record<string, FieldMatcher>> = {
  model: models,
  resolution: ['480p', '720p', '1080p', '4k'],
  ratio: ['16:9', '4:3', '1:1', '3:4', '9:16', '21:9', 'adaptive'],
  duration: [-1, ...Array.from({ length: 27 }, (_, index) => index + 4)],
  seed: 'number',
  generate_audio: 'boolean',
  watermark: 'boolean',
  return_last_frame: 'boolean',
  omni_reference_task_type: ['auto', 'reference', 'edit', 'extend'],
  execution_expires_after: 'number',
  safety_identifier: 'string',
  callback_url: 'url',
};

/** The roles of each type of content. */
const roles: Readonly<Record<string, readonly (string | undefined)[]>> = {
  text: [undefined],
  image_url: [undefined, 'first_frame', 'last_frame', 'reference_image'],
  video_url: ['reference_video'],
  audio_url: ['reference_audio'],
};

type Rejection = { readonly code: DocumentedCode; readonly message?: string };

/** Returns the rejection of a create that no recorded one looks like, or null. */
export function checkCreate(body: ModelArkCreateBody & { tools?: unknown }): Rejection | null {
  const { content, tools: _, ...others } = body;
  if (!models.includes(body.model)) return { code: 'InvalidEndpointOrModel.NotFound' };
  if (!Array.isArray(content) || content.length === 0) return { code: 'MissingParameter' };
  const invalid = content.some(({ type, role }) => !roles[type]?.includes(role))
    ? 'content'
    : unmatchedField(others, fields);
  if (invalid === undefined) return null;
  const message = `the parameter ${invalid} specified in the request is not valid`;
  return { code: 'InvalidParameter', message };
}

/**
 * Returns the parameters in a prompt, read as generously as any upstream might: after Unicode
 * normalization, with spaces, by long and short names. They would override the body.
 */
export function promptParameters(content: readonly Item[]): Readonly<Record<string, string>> {
  const prompt = content.find((item) => item.type === 'text')?.text ?? '';
  const plain = prompt.normalize('NFKC').replace(/\p{Cf}/gu, '');
  const found: Record<string, string> = {};
  for (const [, name, value] of plain.matchAll(/--\s*([a-z_]+)[\s=]+(\S+)/gi)) {
    found[name!.toLowerCase()] = value!;
  }
  return found;
}
