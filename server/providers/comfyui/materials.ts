/**
 * A task's files on their way to ComfyUI: fetched here, through the guard, and uploaded under names
 * of ours. A server in our own network is never told an address, nor a customer's file name.
 */
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { Size } from '@vidgen/renderer/size.ts';
import { timeoutSignal } from '../../clock.ts';
import { fetchMaterials } from '../preview/render-materials.ts';
import type { StartResult } from '../provider.ts';
import type { MaterialOptions } from '../toolkit/fetch-material.ts';
import { readHead } from '../toolkit/image-info.ts';
import type { UpstreamOutcome } from '../toolkit/upstream.ts';
import type { ComfyCalls } from './calls.ts';
import { parseStartResult } from './errors.ts';
import { type MediaFile, readMediaFile } from './media-file.ts';
import { uploadedName } from './wire.ts';
import { filesOf, type TaskFile } from './workflow.ts';

export type UploadedMaterials = {
  /** Placeholders to names on the server. */
  readonly names: Readonly<Record<string, string>>;
  /** Of the first picture. */
  readonly shape: Size | null;
};

/** For fetching and uploading together. */
export const materialSecondsMax = 240;
const retrySeconds = 5;

/** The names to put into the workflow, or why nothing was started: then no prompt was sent. */
export async function uploadMaterials(
  calls: ComfyCalls,
  generation: Generation,
  options: MaterialOptions & { readonly operation: string },
): Promise<UploadedMaterials | StartResult> {
  const files = filesOf(generation);
  if (files.length === 0) return { names: {}, shape: null };
  const folder = join(options.tempFolder, `comfyui-${randomUUID()}`);
  const signal = timeoutSignal(materialSecondsMax * 1000);
  try {
    return await fetchAndUpload(calls, files, { ...options, generation, folder, signal });
  } catch (error) {
    return retryLater((error as Error).message);
  } finally {
    // A file that stays behind must not hide what came of the start.
    await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}

async function fetchAndUpload(
  calls: ComfyCalls,
  files: readonly TaskFile[],
  options: MaterialOptions & {
    readonly operation: string;
    readonly generation: Generation;
    readonly folder: string;
    readonly signal: AbortSignal;
  },
): Promise<UploadedMaterials | StartResult> {
  const { operation, signal } = options;
  const fetched = await fetchAll(options);
  const names: Record<string, string> = {};
  let shape: Size | null = null;
  for (const { placeholder, kind, index } of files) {
    const found = fetched.find((one) => one.kind === kind && one.index === index);
    const field = `input.${kind}_urls[${index}]`;
    if (!found?.file) return badMaterial(`${field} could not be fetched`);
    const media = readMediaFile(await readHead(found.file), kind);
    if (!media) return badMaterial(`${field} is no ${kind}`);
    shape ??= media.shape;
    const name = nameFor(operation, placeholder, media);
    const { contentType } = media;
    const outcome = await calls.upload({ file: found.file, fileName: name, contentType }, signal);
    const uploaded = uploadResult(outcome);
    if (typeof uploaded !== 'string') return uploaded;
    names[placeholder] = uploaded;
  }
  return { names, shape };
}

/** A host that stumbles once is no reason to fail what was paid for. */
async function fetchAll(
  options: MaterialOptions & {
    readonly generation: Generation;
    readonly folder: string;
    readonly signal: AbortSignal;
  },
) {
  const { fetchMaterial, materialBytesMax: sizes, generation, folder, signal } = options;
  const fetchOnce = () => fetchMaterials(fetchMaterial, { generation, folder, signal, sizes });
  const fetched = await fetchOnce();
  return fetched.every(({ file }) => file !== null) || signal.aborted ? fetched : await fetchOnce();
}

/** By the operation, which nobody outside knows. */
const nameFor = (operation: string, placeholder: string, { extension }: MediaFile): string =>
  `${operation}-${placeholder.replaceAll('_', '-')}.${extension}`;

/** Whatever came of an upload, no prompt was sent: it can be tried again. */
function uploadResult(outcome: UpstreamOutcome): string | StartResult {
  if (outcome.kind === 'unsent') {
    return { ...retryLater(`not connected: ${outcome.detail}`), unreachable: true };
  }
  if (outcome.kind === 'lost') return retryLater(`upload: ${outcome.detail}`);
  if (outcome.status !== 200) {
    const result = parseStartResult(outcome);
    return result.outcome === 'unknown' ? retryLater(`upload: ${result.detail}`) : result;
  }
  return uploadedName(outcome.json) ?? retryLater('upload: the answer has no name');
}

const retryLater = (detail: string) =>
  ({ outcome: 'throttled', retryAfterSeconds: retrySeconds, detail }) as const;

const badMaterial = (detail: string): StartResult => ({
  outcome: 'refused',
  canFailOver: false,
  reason: 'material',
  detail,
});
