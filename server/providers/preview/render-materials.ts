/**
 * Brings a generation's materials to this machine for the renderer, which has no network. What
 * cannot be fetched is named all the same: it is drawn as a titled card (Decisions, "Material
 * checks at creation").
 */
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { JobMaterial, MaterialKind } from '@vidgen/renderer/render-job.ts';
import type { FetchMaterial, MaterialByteLimits } from '../toolkit/fetch-material.ts';

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
 * All at once, as far as the bytes allow: each download is promised its whole limit before it
 * begins and gives back what it did not use, so the sum can never be passed.
 */
export async function fetchMaterials(
  fetchMaterial: FetchMaterial,
  options: {
    readonly generation: Generation;
    readonly folder: string;
    readonly signal: AbortSignal;
    /** Of each file. */
    readonly sizes: MaterialByteLimits;
    /** Of all together. */
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
    // A download that broke off may have left its beginning.
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

/** Host and file name only: what follows the question mark is often a credential. */
export function titleOf(materialUrl: string): string {
  const url = URL.canParse(materialUrl) ? new URL(materialUrl) : null;
  if (!url) return 'unreadable address';
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
