/**
 * What a conformance case works with: an adapter, its fake upstream behind one set of switches, and
 * sample requests. Each vendor's fixture translates the switches for its fake.
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
  /** Runs into the adapter's timeouts, which are one second then. */
  readonly shortTimeouts?: boolean;
  readonly run: (fixture: AdapterFixture) => Promise<void>;
};

/** A start as the upstream understood it, in the service's terms. */
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

/** The materials of a URL or a list of URLs; none for undefined. */
export const materialsOf = (
  urls: unknown,
  role: ReceivedMaterial['role'] = 'reference',
): ReceivedMaterial[] => [urls ?? []].flat().map((url) => ({ url: String(url), role }));

export type StartFault =
  | 'response-lost' // Created, then the connection breaks.
  | 'error-after-creating'
  | 'error-without-creating'
  | 'no-response' // Created, then silence.
  | 'content-rejected'
  | 'input-refused' // A parameter that the upstream does not support.
  | 'account-refused' // The key or account is at fault, not the request.
  | 'throttled'
  | 'unreachable' // No connection can be made.
  | 'garbage' // Created, then a response that is not JSON.
  | 'html'; // Nothing created, a proxy's error page.

export type UpstreamState =
  | 'running'
  | 'completed'
  | 'completed-without-video'
  | 'failed'
  | 'content-rejected'
  | 'expired'
  | 'vanished'
  | 'unknown-status';

export type StatusFault = 'error' | 'throttled' | 'no-response' | 'garbage' | 'html' | 'types';

export type AdapterFixture = {
  readonly provider: Provider;
  readonly failStart: (fault: StartFault) => void | Promise<void>;
  readonly failStatus: (fault: StatusFault) => void | Promise<void>;
  readonly setState: (operation: string, state: UpstreamState) => void | Promise<void>;
  readonly received: () => ReceivedStart;
  readonly generations: (reference: string) => number;
  readonly hasResult: (operation: string) => boolean;
  readonly close: () => Promise<void>;
};

/** A valid generation; a test states only what matters to it. */
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

/** What the edit of a case was priced for. */
export const editSeconds = 7.6;

export function sampleStart(
  change: Partial<Generation> = {},
  request: Partial<StartRequest> = {},
): StartRequest {
  return {
    reference: `ref_${randomUUID()}`,
    taskId: 'task_01k9zq3v5e6f7g8h9j0kmnpqrs',
    endUser: 'e'.repeat(64),
    generation: sampleGeneration(change),
    secondsLeft: 3_600,
    ...(change.duration === -1 ? { pricedSeconds: editSeconds } : {}),
    ...request,
  };
}

/** The account of a start whose operation is not known yet. */
export const findAccount = ({ endUser }: StartRequest, others: readonly string[] = []) => ({
  endUser,
  belongsToOtherTask: async (operation: string) => others.includes(operation),
});

export function sampleStatus(operation: string, start: StartRequest): StatusRequest {
  const { reference, taskId, generation } = start;
  const { signal } = new AbortController();
  const accountId = '0197a2f4-0000-7000-8000-000000000000';
  const turn = { signal, ageSeconds: 0, isLast: false };
  return { operation, reference, accountId, taskId, generation, ...turn, onProgress: () => {} };
}

export async function startGeneration(
  { provider }: Pick<AdapterFixture, 'provider'>,
  change: Partial<Generation> = {},
) {
  const request = sampleStart(change);
  const result = await provider.start(request);
  assert.equal(result.outcome, 'accepted', JSON.stringify(result));
  const { operation } = result as Extract<StartResult, { outcome: 'accepted' }>;
  const poll = () => provider.status(sampleStatus(operation, request));
  return { request, operation, poll };
}

/** Fetches a result as the service does, and returns its bytes. */
export async function readResult(source: ResultSource): Promise<Buffer> {
  if ('file' in source) return await readFile(source.file);
  if ('url' in source) {
    const response = await fetch(source.url);
    assert.equal(response.status, 200, source.url);
    return Buffer.from(await response.arrayBuffer());
  }
  return await withDownload(source, async (result, file) => {
    if (!result.saved && result.redirectUrl) return await readResult({ url: result.redirectUrl });
    assert.ok(result.saved, JSON.stringify(result));
    return await readFile(file);
  });
}

/** Asserts that a download fails and leaves no file. */
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
