/**
 * What a conformance case works with: an adapter, its upstream double behind one set of switches,
 * and sample requests. An adapter's harness translates the switches to its double.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type {
  DownloadFile,
  Provider,
  ResultSource,
  StartRequest,
  StartResult,
  StatusRequest,
} from '../../server/providers/provider.ts';

export type ConformanceCase = {
  readonly id: string;
  readonly promise: string;
  /** Meets the adapter's time-outs: about a second then, otherwise never to be met. */
  readonly shortTimeouts?: boolean;
  readonly run: (fixture: AdapterFixture) => Promise<void>;
};

/** A request as the upstream understood it, in our words. */
export type ReceivedStart = {
  readonly prompt: string;
  readonly seed: number | undefined;
  readonly durationSeconds: number | undefined;
  readonly images: readonly ReceivedMaterial[];
  readonly videos: readonly ReceivedMaterial[];
  readonly audios: readonly ReceivedMaterial[];
};
export type ReceivedMaterial = {
  readonly url: string;
  readonly role: 'first' | 'last' | 'reference';
};

/** How the upstream treats the next start. */
export type StartFault =
  | 'answer-lost' // Created, then the connection breaks.
  | 'error-after-creating'
  | 'error-without-creating'
  | 'never-answers' // Created or not: nobody will know.
  | 'content-rejected'
  | 'input-refused' // A parameter it does not take.
  | 'account-refused' // Our key or account, not the request.
  | 'throttled'
  | 'unreachable' // No connection can be made.
  | 'garbage' // Created, then an answer that is no JSON or has the wrong types.
  | 'html'; // Nothing created, a proxy's error page.

/** What the upstream makes of an operation. */
export type UpstreamState =
  | 'running'
  | 'completed'
  | 'completed-without-video'
  | 'failed'
  | 'content-rejected'
  | 'expired'
  | 'vanished'
  | 'unknown-status';

/** How the upstream treats the next look at an operation. */
export type StatusFault = 'error' | 'throttled' | 'never-answers' | 'garbage' | 'html' | 'types';

/** One adapter with a fresh upstream double. */
export type AdapterFixture = {
  readonly provider: Provider;
  readonly failStart: (fault: StartFault) => void | Promise<void>;
  readonly failStatus: (fault: StatusFault) => void | Promise<void>;
  readonly setState: (operation: string, state: UpstreamState) => void | Promise<void>;
  /** The last start that reached the upstream. */
  readonly received: () => ReceivedStart;
  /** Generations really started under our reference. */
  readonly generations: (reference: string) => number;
  /** Whether the upstream still has what an operation made: a cancel must not erase it. */
  readonly hasResult: (operation: string) => boolean;
  readonly close: () => Promise<void>;
};

/** A valid generation; each test states only what matters to it. */
export function sampleGeneration(change: Partial<Generation> = {}): Generation {
  return {
    model: 'vidgen-2-0',
    prompt: 'A paper boat drifts on a quiet lake',
    generationType: 'text-to-video',
    imageUrls: [],
    videoUrls: [],
    audioUrls: [],
    duration: 5,
    aspectRatio: '16:9',
    resolution: '720p',
    generateAudio: true,
    watermark: false,
    webSearch: false,
    returnLastFrame: false,
    seed: null,
    ...change,
  };
}

export function sampleStart(
  change: Partial<Generation> = {},
  request: Partial<StartRequest> = {},
): StartRequest {
  return {
    reference: `ref_${randomUUID()}`,
    taskId: 'task_01k9zq3v5e6f7g8h9j0kmnpqrs',
    generation: sampleGeneration(change),
    secondsLeft: 3_600,
    ...request,
  };
}

export function sampleStatus(operation: string, start: StartRequest): StatusRequest {
  const { reference, taskId, generation } = start;
  const { signal } = new AbortController();
  const accountId = '0197a2f4-0000-7000-8000-000000000000';
  return { operation, reference, accountId, taskId, generation, signal, onProgress: () => {} };
}

/** Starts one generation that must be accepted. */
export async function startGeneration(fixture: AdapterFixture, change: Partial<Generation> = {}) {
  const request = sampleStart(change);
  const result = await fixture.provider.start(request);
  assert.equal(result.outcome, 'accepted', JSON.stringify(result));
  const { operation } = result as Extract<StartResult, { outcome: 'accepted' }>;
  const poll = () => fixture.provider.status(sampleStatus(operation, request));
  return { request, operation, poll };
}

/** The bytes of a finished file, fetched as the service would. */
export async function readResult(source: ResultSource): Promise<Buffer> {
  if ('file' in source) return await readFile(source.file);
  if ('url' in source) {
    const response = await fetch(source.url);
    assert.equal(response.status, 200, source.url);
    return Buffer.from(await response.arrayBuffer());
  }
  return await withDownload(source, async (result, file) => {
    assert.ok(result.saved, JSON.stringify(result));
    return await readFile(file);
  });
}

/** Whoever would fetch this file is told that there is none, and has none. */
export async function assertNoFile(source: ResultSource): Promise<void> {
  assert.ok('download' in source, JSON.stringify(source));
  await withDownload(source, async (result, file) => {
    assert.ok(!result.saved && result.detail !== '', JSON.stringify(result));
    assert.ok(!existsSync(file), 'nothing is left behind');
  });
}

async function withDownload<Value>(
  { download }: { readonly download: DownloadFile },
  inspect: (result: Awaited<ReturnType<DownloadFile>>, file: string) => Promise<Value>,
): Promise<Value> {
  const folder = await mkdtemp(join(tmpdir(), 'vidgen-result-'));
  try {
    const into = join(folder, 'video');
    const { signal } = new AbortController();
    return await inspect(await download({ into, bytesMax: 100_000_000, signal }), into);
  } finally {
    await rm(folder, { recursive: true });
  }
}
