/**
 * Test videos: a real start at a connected provider, outside of any account, route and ledger. A
 * test is polled by the requests of the administrator who watches it, so any process can continue
 * it and an abandoned one costs nothing more. A start is never repeated. What a canary makes is
 * compared with what was asked for.
 */
import { createHash, randomBytes } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import { invalidRequest } from '@vidgen/contract/api-error.ts';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { type ModelName, type Resolution, resolutions } from '@vidgen/contract/models.ts';
import type { Model } from '../../catalog/models.ts';
import type { Transaction } from '../../database/database.ts';
import { startDeadline } from '../../process/clock.ts';
import { canaryProblems } from '../../providers/connected/canary-problems.ts';
import {
  claimTest,
  endTest,
  findTest,
  insertTest,
  type ProviderTest,
  testSecondsMax,
  updateTest,
} from '../../providers/connected/test-store.ts';
import type { Provider, StartResult, StatusResult } from '../../providers/provider.ts';
import type { Uploads } from '../../storage/uploads.ts';
import { newTaskId } from '../../tasks/task-id.ts';
import { deleteResultFiles, toLocalFile } from '../collect.ts';
import type { LifecycleContext } from '../context.ts';

const prompt = 'A red paper boat drifts across a calm pond at sunrise';
/** The owner of stored test videos, which belong to no account. */
const testOwner = 'provider tests';
const firstPollSeconds = 2;
/** A poll may download the video. */
const pollMsMax = 90_000;

type StartOptions = {
  readonly provider: Provider;
  readonly model: ModelName;
  readonly actor: string;
  /** Only of a canary, such as 2026-01-31. */
  readonly canaryDay?: string | null;
  /** Commits the start as an act of the caller. */
  readonly transaction: <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>;
  readonly record: (tx: Transaction, test: { readonly id: string }) => Promise<void>;
};

/** Throws `invalid_request` if the provider cannot make any test video of the model. */
export async function startProviderTest(
  lifecycle: LifecycleContext,
  { provider, model, actor, canaryDay = null, transaction, record }: StartOptions,
): Promise<ProviderTest> {
  const { db, log, endUserOf } = lifecycle;
  const generation = cheapestGeneration(provider, model, lifecycle.catalog.find(model));
  const id =
    canaryDay === null
      ? newTaskId().replace('task_', 'test_')
      : canaryId([provider.name, model, canaryDay]);
  const reference = `vg_${randomBytes(18).toString('base64url')}`;
  await transaction(async (tx) => {
    const credential = provider.credential ?? null;
    const test = { id, provider: provider.name, credential, reference, generation, canaryDay };
    await insertTest(tx, { ...test, createdBy: actor });
    await record(tx, { id });
  });
  const request = { reference, taskId: id, endUser: endUserOf(testOwner), generation };
  const result = await provider
    .start({ ...request, secondsLeft: testSecondsMax })
    .catch((error: Error): StartResult => ({ outcome: 'unknown', detail: error.message }));
  log.info({ provider: provider.name, test: id, outcome: result.outcome }, 'provider test started');
  if (result.outcome === 'accepted') {
    const { operation } = result;
    await updateTest(db, id, { operation, nextPollSeconds: firstPollSeconds });
  } else {
    await endTest(db, id, { state: 'failed', detail: startMessage(result) });
  }
  return await findTest(db, id);
}

/** The same for every process, so that the day has one. */
function canaryId(canary: readonly string[]): string {
  const digest = createHash('sha256').update(canary.join(' ')).digest('hex');
  return `test_0${digest.slice(0, 25)}`;
}

const usualLengths = [4, 5, 6, 8, 10];
/** MiniMax H3 has none of the contract's. */
const usualResolutions = [...resolutions, '768p'];

/** The shortest and smallest video that the provider makes. */
function cheapestGeneration(
  provider: Provider,
  model: ModelName,
  installed: Model | undefined,
): Generation {
  let reason: string | null = null;
  const { durations, durationSeconds, sound } = installed?.limits ?? {};
  const lengths = durations ?? [...new Set([durationSeconds?.min ?? 4, ...usualLengths])];
  const generateAudio = sound === 'always';
  for (const resolution of installed?.limits.resolutions ?? usualResolutions) {
    for (const duration of lengths) {
      for (const aspectRatio of ['16:9', 'adaptive', '9:16', '1:1'] as const) {
        const chosen = { model, resolution, duration, aspectRatio, generateAudio };
        const generation = generationOf(chosen);
        const unsupported = provider.unsupportedReason?.(generation) ?? null;
        if (unsupported === null) return generation;
        reason ??= unsupported;
      }
    }
  }
  throw invalidRequest(`The provider makes no video from text alone: ${reason}.`);
}

const generationOf = (chosen: {
  readonly model: ModelName;
  readonly resolution: Resolution;
  readonly duration: number;
  readonly aspectRatio: Generation['aspectRatio'];
  readonly generateAudio: boolean;
}): Generation => ({
  ...chosen,
  prompt,
  generationType: 'text-to-video',
  imageUrls: [],
  videoUrls: [],
  audioUrls: [],
  watermark: false,
  webSearch: false,
  returnLastFrame: false,
  seed: null,
});

function startMessage(result: Exclude<StartResult, { outcome: 'accepted' }>): string {
  if (result.outcome === 'rejected') return `The provider rejected the test: ${result.detail}`;
  if (result.outcome === 'unknown') return `The provider did not respond: ${result.detail}`;
  return result.unreachable
    ? `Couldn’t reach the provider: ${result.detail}`
    : `The provider is busy: ${result.detail}`;
}

/** Returns the test as it is now. Polls the provider if that is due. */
export async function readProviderTest(
  lifecycle: LifecycleContext,
  { id, uploads }: { readonly id: string; readonly uploads: Uploads },
): Promise<ProviderTest> {
  const { db, providers } = lifecycle;
  const test = await claimTest(db, id, pollMsMax / 1000);
  if (test) {
    const provider = providers.get(test.provider, test.credential);
    if (provider) await pollTest(lifecycle, { test, provider, uploads });
    else await endTest(db, id, { state: 'failed', detail: 'The provider was removed.' });
  }
  return await findTest(db, id);
}

type TestPoll = {
  readonly test: ProviderTest & { readonly operation: string };
  readonly provider: Provider;
  readonly uploads: Uploads;
};

async function pollTest(lifecycle: LifecycleContext, poll: TestPoll): Promise<void> {
  const { db } = lifecycle;
  const { test, provider } = poll;
  using deadline = startDeadline(pollMsMax);
  const { signal } = deadline;
  const { id: taskId, operation, reference, generation } = test;
  const turn = { signal, ageSeconds: test.seconds, isLast: false };
  const request = { operation, reference, accountId: testOwner, taskId, generation, ...turn };
  const status = await provider
    .status({ ...request, onProgress: () => {} })
    .catch((error: Error): StatusResult => {
      return { outcome: 'pending', pollAfterSeconds: firstPollSeconds, alert: error.message };
    });
  if (status.outcome === 'completed') return await storeVideo(lifecycle, poll, status, signal);
  if (status.outcome !== 'pending') {
    const detail = `The provider couldn’t make the test video: ${status.detail}`;
    return await endTest(db, test.id, { state: 'failed', detail });
  }
  if (test.seconds > testSecondsMax) {
    const last = status.alert === undefined ? '' : ` Last response: ${status.alert}`;
    const detail = `No video after ${testSecondsMax / 60} minutes.${last}`;
    return await endTest(db, test.id, { state: 'failed', detail });
  }
  const { progress = null } = status;
  await updateTest(db, test.id, { progress, nextPollSeconds: firstPollSeconds });
}

async function storeVideo(
  lifecycle: LifecycleContext,
  { test, provider, uploads }: TestPoll,
  status: StatusResult & { outcome: 'completed' },
  signal: AbortSignal,
): Promise<void> {
  let file: string | null = null;
  try {
    file = await toLocalFile(lifecycle, status.video, signal);
    if (test.canaryDay !== null) {
      const shape = await lifecycle.sources.shapeOf(file, signal);
      const { currency } = lifecycle.settings;
      const { costs = {} } = lifecycle.providers.limitsOf(provider.name);
      const problems = canaryProblems(test.generation, {
        shape,
        reported: status.cost,
        costs,
        currency,
      });
      if (problems.length > 0) throw new Error(problems.join('; '));
    }
    const digest = createHash('sha256').update(test.id).digest('hex');
    const upload = uploads.issue({ accountId: testOwner, extension: 'mp4', digest });
    const { size: bytes } = await stat(file);
    await uploads.save(testOwner, [{ upload, file, bytes }]);
    await endTest(lifecycle.db, test.id, { state: 'completed', videoUrl: upload.url });
  } catch (error) {
    await deleteResultFiles(status);
    const detail = `The video was made, but ${(error as Error).message}`;
    await endTest(lifecycle.db, test.id, { state: 'failed', detail });
  } finally {
    if (file) await rm(file, { force: true });
  }
}
