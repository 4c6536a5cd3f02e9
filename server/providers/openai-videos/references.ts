/**
 * The reference files of a task as vLLM-Omni and SGLang take them: always uploaded, because a
 * server would fetch a URL inside its own network.
 */
import { readFile, stat } from 'node:fs/promises';
import type { ReferenceCounts } from '../toolkit/generation-input.ts';
import type { MaterialFile } from '../toolkit/materials.ts';
import type { FormPart } from '../toolkit/multipart.ts';
import { asJson, asRecord } from '../toolkit/response-values.ts';
import type { Fields } from './wire.ts';

export type References = {
  /** The form field, which is repeated for every file. */
  readonly field: 'input_references' | 'video_reference';
  /** Most files of each kind that the served model uses. */
  readonly counts: ReferenceCounts;
  /** Most files of all kinds together. */
  readonly filesMax: number;
};

/** Applies the configured counts; kinds that are left out are not used. */
export function limitReferences(
  references: References | null,
  configured: { readonly [Kind in keyof ReferenceCounts]?: number | undefined } | undefined,
): References | null {
  if (!references || !configured) return references;
  const least = (kind: keyof ReferenceCounts) =>
    Math.min(configured[kind] ?? 0, references.counts[kind]);
  const counts = { images: least('images'), videos: least('videos'), audios: least('audios') };
  return { ...references, counts };
}

export type Upload = Extract<FormPart, { readonly file: string }>;

type ReferenceParts = { readonly fields: Fields; readonly uploads: readonly Upload[] };

/** `files` are in the order of the request: images, then videos, then audio files. */
export async function referenceParts(
  { field }: References,
  files: readonly MaterialFile[],
  configured: Fields,
): Promise<ReferenceParts> {
  const uploads = files.map((file) => uploadOf(field, file));
  if (field === 'video_reference') return { fields: {}, uploads };
  const { fields, uploads: own } = (await separateParts(files)) ?? { fields: {}, uploads };
  // MiniMax H3 makes images without a video or audio file the first and the last frame.
  const areImages = files.every(({ kind }) => kind === 'image');
  return { fields: { ...fields, ...(areImages ? referenceTask(configured) : {}) }, uploads: own };
}

/**
 * Starlette, which parses the forms of vLLM-Omni, refuses a field without a file name above 1 MiB;
 * base64 takes four thirds.
 */
const inlineBytesMax = 0.75 * 1024 ** 2 - 1024;

/**
 * One image, with or without one audio file, in fields of their own: models that do not mix
 * references, such as Wan 2.2 S2V, read only these. Returns null for any other combination.
 */
async function separateParts(files: readonly MaterialFile[]): Promise<ReferenceParts | null> {
  const [image, audio, ...more] = files;
  if (image?.kind !== 'image' || more.length > 0) return null;
  const uploads = [uploadOf('input_reference', image)];
  if (!audio) return { fields: {}, uploads };
  if (audio.kind !== 'audio' || (await stat(audio.file)).size > inlineBytesMax) return null;
  const content = (await readFile(audio.file)).toString('base64');
  const audioUrl = `data:${audio.contentType};base64,${content}`;
  return { fields: { audio_reference: JSON.stringify({ audio_url: audioUrl }) }, uploads };
}

const referenceTask = ({ extra_params: configured }: Fields): Fields => ({
  extra_params: JSON.stringify({
    ...asRecord(asJson(String(configured))),
    task: 'ref2va',
  }),
});

/** Never the customer's file name, which could be a path on the server. */
export const uploadOf = (
  name: string,
  { kind, index, file, contentType, extension }: MaterialFile,
  title = `${kind}-${index + 1}`,
): Upload => ({ name, file, fileName: `${title}.${extension}`, contentType });
