/**
 * Downloads a task's materials to this machine, for the preview renderer, which has no network, and
 * for self-hosted providers, which must never be given a URL to fetch inside this network.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { JobMaterial, MaterialKind } from '@vidgen/renderer/render-job.ts';
import { sleep, startDeadline } from '../../process/clock.ts';
import type { StartResult } from '../provider.ts';
import { type MediaInfo, readHead, readMediaInfo } from './media-info.ts';
import { rejectedStart, retryStart } from './start-result.ts';

/** Saves the content of a customer's URL into a file. Applies the egress rules. */
export type FetchMaterial = (request: {
  readonly url: string;
  readonly kind: MaterialKind;
  readonly into: string;
  /** A longer response is not saved. */
  readonly bytesMax: number;
  readonly signal: AbortSignal;
}) => Promise<{ readonly saved: boolean }>;

export type MaterialByteLimits = Readonly<Record<MaterialKind, number>>;

export type MaterialOptions = {
  readonly fetchMaterial: FetchMaterial;
  readonly materialBytesMax: MaterialByteLimits;
  /** The caller deletes the files it puts here. */
  readonly tempFolder: string;
};

/** Decisions, "Looking is bounded": a task downloads at most this much. */
const taskBytesMax = 512 * 1024 ** 2;

type MaterialRef = { readonly kind: MaterialKind; readonly index: number; readonly url: string };

const listMaterials = (generation: Generation): MaterialRef[] =>
  (
    [
      ['image', generation.imageUrls],
      ['video', generation.videoUrls],
      ['audio', generation.audioUrls],
    ] as const
  ).flatMap(([kind, urls]) => urls.map((url, index) => ({ kind, index, url })));

export const hasMaterials = (generation: Generation): boolean =>
  listMaterials(generation).length > 0;

/**
 * Downloads all materials in parallel. A material that cannot be fetched has a null `file`. Every
 * download reserves its full limit before it begins and returns what it did not use, so the sum
 * stays within `bytesMax`.
 */
export async function fetchMaterials(
  fetchMaterial: FetchMaterial,
  options: {
    readonly generation: Generation;
    readonly folder: string;
    readonly signal: AbortSignal;
    /** Per file. */
    readonly sizes: MaterialByteLimits;
    /** Of all files together. */
    readonly bytesMax?: number;
  },
): Promise<JobMaterial[]> {
  const { folder, signal, sizes } = options;
  let bytesLeft = options.bytesMax ?? taskBytesMax;
  const inFlight = new Set<Promise<void>>();
  const materials: JobMaterial[] = [];
  await mkdir(folder, { recursive: true });

  async function fetchOne(material: MaterialRef, at: number, bytesMax: number): Promise<void> {
    const { kind, index, url } = material;
    const into = join(folder, `${kind}-${index}`);
    const saved = await fetchMaterial({ url, kind, into, bytesMax, signal }).then(
      (result) => result.saved,
      () => false,
    );
    // A failed download may have left a partial file.
    if (!saved) await rm(into, { force: true });
    const bytes = saved ? (await stat(into)).size : 0;
    bytesLeft += bytesMax - bytes;
    materials[at] = { kind, index, file: saved ? into : null, title: titleOf(url) };
  }

  for (const [at, material] of listMaterials(options.generation).entries()) {
    while (bytesLeft < sizes[material.kind] && inFlight.size > 0) await Promise.race(inFlight);
    const bytesMax = Math.min(bytesLeft, sizes[material.kind]);
    bytesLeft -= bytesMax;
    const fetched = fetchOne(material, at, bytesMax).finally(() => inFlight.delete(fetched));
    inFlight.add(fetched);
  }
  await Promise.all(inFlight);
  return materials;
}

export type MaterialFile = MediaInfo & {
  readonly kind: MaterialKind;
  /** Position in its list of the request, from 0. */
  readonly index: number;
  readonly file: string;
};

const retryDelayMs = 1_000;

/**
 * Downloads and checks a task's materials, calls `use` with the files, and deletes them. Returns
 * why nothing was started when a file is unusable or this machine could not save it. Downloading
 * takes at most `secondsMax`; a host that fails once is tried again.
 */
export async function withMaterials<Result>(
  generation: Generation,
  options: MaterialOptions & { readonly secondsMax: number },
  use: (files: readonly MaterialFile[], deadline: AbortSignal) => Promise<Result>,
): Promise<Result | StartResult> {
  const folder = join(options.tempFolder, `materials-${randomUUID()}`);
  using timer = startDeadline(options.secondsMax * 1000);
  const deadline = timer.signal;
  try {
    const fetched = await fetchTwice(generation, { ...options, folder, deadline }).catch(
      (error: Error) => retryStart(error.message),
    );
    return 'outcome' in fetched ? fetched : await use(fetched, deadline);
  } finally {
    // A file that cannot be deleted must not hide the result of the start.
    await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}

async function fetchTwice(
  generation: Generation,
  options: MaterialOptions & {
    readonly secondsMax: number;
    readonly folder: string;
    readonly deadline: AbortSignal;
  },
): Promise<readonly MaterialFile[] | StartResult> {
  const { fetchMaterial, materialBytesMax: sizes, secondsMax, folder, deadline } = options;
  const fetchOnce = async () => {
    using half = startDeadline(secondsMax * 500, [deadline]);
    const { signal } = half;
    return await fetchMaterials(fetchMaterial, { generation, folder, signal, sizes });
  };
  let fetched = await fetchOnce();
  if (fetched.some(({ file }) => file === null)) {
    await sleep(retryDelayMs, deadline);
    fetched = await fetchOnce();
  }
  const files: MaterialFile[] = [];
  for (const { kind, index, file } of fetched) {
    const field = `input.${kind}_urls[${index}]`;
    if (file === null) return unusable(`${field} could not be fetched`);
    const media = readMediaInfo(await readHead(file), kind);
    if (!media) return unusable(`${field} has no known ${kind} format`);
    files.push({ ...media, kind, index, file });
  }
  return files;
}

const unusable = (detail: string): StartResult => rejectedStart({ reason: 'material', detail });

/** Host and file name only: a query often contains credentials. */
function titleOf(materialUrl: string): string {
  const url = URL.canParse(materialUrl) ? new URL(materialUrl) : null;
  if (!url) return 'unreadable URL';
  const name = url.pathname.split('/').findLast((part) => part !== '') ?? '';
  return name === '' ? url.host : `${url.host}/${decodeName(name)}`;
}

function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
