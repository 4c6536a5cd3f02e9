/** Previews over a renderer that stands in for the real one, and a look at what it did. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { createLog } from '../../server/log.ts';
import {
  createPreviews,
  type PreviewOptions,
  type Previews,
} from '../../server/providers/preview/preview.ts';
import type { Provider, StatusAnswer, StatusRequest } from '../../server/providers/provider.ts';
import { sampleStart, sampleStatus } from './conformance-bench.ts';
import type { Told } from './stand-in-renderer.ts';

const standIn = fileURLToPath(new URL('./stand-in-renderer.ts', import.meta.url));

export type OpenPreviews = Previews & AsyncDisposable & { readonly folder: string };

export const materialBytesMax = { image: 30, video: 200, audio: 15 };

export async function openPreviews(change: Partial<PreviewOptions> = {}): Promise<OpenPreviews> {
  const folder = await mkdtemp(join(tmpdir(), 'vidgen-previews-'));
  const previews = await createPreviews({
    folder,
    slots: 2,
    log: createLog('silent'),
    materialBytesMax,
    fetchMaterial: async () => ({ saved: false }),
    renderer: standIn,
    ...change,
  });
  return {
    ...previews,
    folder,
    async [Symbol.asyncDispose]() {
      await previews.preview.close?.();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A started generation, and a way to look at it. */
export async function beginPreview(
  provider: Provider,
  change: Partial<Generation>,
  of: Partial<StatusRequest> = {},
) {
  const request = sampleStart(change);
  const answer = await provider.start(request);
  assert(answer.outcome === 'accepted');
  const { operation } = answer;
  const stop = new AbortController();
  const status = sampleStatus(operation, request);
  const look = () => provider.status({ ...status, ...of, signal: stop.signal });
  return { request, operation, look, stop };
}

export async function untilFinal(look: () => Promise<StatusAnswer>): Promise<StatusAnswer> {
  for (;;) {
    const answer = await look();
    if (answer.outcome !== 'pending') return answer;
    await pause(20);
  }
}

export function fileOf(answer: StatusAnswer): string {
  assert(answer.outcome === 'completed', JSON.stringify(answer));
  assert('file' in answer.video);
  return answer.video.file;
}

export const told = async (answer: StatusAnswer): Promise<Told> =>
  JSON.parse(await readFile(fileOf(answer), 'utf8'));

/** The lines that renderers wrote on beginning and ending, in order. */
export async function diaryOf({ folder }: OpenPreviews): Promise<string[]> {
  for (const own of await readdir(folder)) {
    const file = join(folder, own, 'diary');
    if (existsSync(file)) return (await readFile(file, 'utf8')).trim().split('\n');
  }
  return [];
}

/** Waits until so many renderers have begun, and says which prompts they had, in order. */
export async function begunIn(previews: OpenPreviews, count: number): Promise<string[]> {
  for (;;) {
    const begun = (await diaryOf(previews)).filter((line) => line.startsWith('begin'));
    if (begun.length >= count) return begun.map((line) => line.split(' ').slice(2).join(' '));
    await pause(20);
  }
}

/** Waits until a renderer runs, and says which process it is. */
export async function processIn(previews: OpenPreviews): Promise<number> {
  for (;;) {
    const [first] = await diaryOf(previews);
    if (first) return Number(first.split(' ')[1]);
    await pause(20);
  }
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
