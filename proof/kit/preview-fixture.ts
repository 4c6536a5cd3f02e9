/** Previews with the fake renderer, and readers of what it did. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { processTree } from '../../server/process/process-tree.ts';
import { ownNamespaces } from '../../server/process/sandbox.ts';
import {
  createPreviews,
  type PreviewOptions,
  type Previews,
} from '../../server/providers/preview/preview.ts';
import type { Provider, StatusRequest, StatusResult } from '../../server/providers/provider.ts';
import { createLog } from '../../server/telemetry/log.ts';
import { sampleStart, sampleStatus } from './conformance-fixture.ts';
import type { RendererOutput } from './fake-renderer.ts';
import { waitUntil } from './wait-until.ts';

const fakeRenderer = fileURLToPath(new URL('./fake-renderer.ts', import.meta.url));

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
    renderer: fakeRenderer,
    sharedFolder: folder,
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

/** Starts a generation and returns a way to poll it. */
export async function startPreview(
  provider: Provider,
  change: Partial<Generation>,
  overrides: Partial<StatusRequest> = {},
) {
  const request = sampleStart(change);
  const result = await provider.start(request);
  assert(result.outcome === 'accepted');
  const { operation } = result;
  const stop = new AbortController();
  const status = sampleStatus(operation, request);
  const poll = () => provider.status({ ...status, ...overrides, signal: stop.signal });
  return { request, operation, poll, stop };
}

export async function waitUntilFinal(poll: () => Promise<StatusResult>): Promise<StatusResult> {
  return await waitUntil(async () => {
    const result = await poll();
    return result.outcome !== 'pending' && result;
  });
}

export function fileOf(result: StatusResult): string {
  assert(result.outcome === 'completed', JSON.stringify(result));
  assert('file' in result.video);
  return result.video.file;
}

export const rendererOutput = async (result: StatusResult): Promise<RendererOutput> =>
  JSON.parse(await readFile(fileOf(result), 'utf8'));

/** The lines that renderers logged at their start and end, in order. */
export async function rendererLog({ folder }: OpenPreviews): Promise<string[]> {
  for (const own of await readdir(folder)) {
    const file = join(folder, own, 'diary');
    if (existsSync(file)) return (await readFile(file, 'utf8')).split('\n').filter(Boolean);
  }
  return [];
}

/** Waits until a renderer runs, and returns its process id. */
export async function rendererPid(previews: OpenPreviews): Promise<number> {
  const first = await waitUntil(async () => (await rendererLog(previews))[0]);
  // It has another id in its own namespace. No process is started after it.
  const isConfined = ownNamespaces().command.length > 0;
  return isConfined ? processTree(process.pid).at(-1)! : Number(first.split(' ')[1]);
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
