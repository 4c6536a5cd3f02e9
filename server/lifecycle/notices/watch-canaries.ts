/**
 * Canaries: one smallest test video a day at every provider of the routes that have one, and a
 * notice while the last one of a provider failed. Any number of processes may run this at once: the
 * row of the day decides which of them starts it, and it is never started again.
 */

import { ApiError } from '@vidgen/contract/api-error.ts';
import type { Database } from '../../database/database.ts';
import { raiseNotice, resolveNotice, resolveUnseen } from '../../messages/notice.ts';
import {
  endAbandoned,
  findCanaries,
  type ProviderTest,
} from '../../providers/connected/test-store.ts';
import { isPreview } from '../../providers/preview/preview.ts';
import type { Uploads } from '../../storage/uploads.ts';
import type { LifecycleContext } from '../context.ts';
import { readProviderTest, startProviderTest } from '../submit/send-test-video.ts';

type CanaryOptions = {
  /** Times in UTC, such as 04:00, by model. */
  readonly canaries: Readonly<Record<string, string>>;
  readonly uploads: Uploads;
  readonly now: Date;
};

/** Of a canary that is not wanted any more. */
const unseenSeconds = 2 * 86_400;

export async function watchCanaries(
  lifecycle: LifecycleContext,
  { canaries, uploads, now }: CanaryOptions,
): Promise<void> {
  const { db } = lifecycle;
  const made = await findCanaries(db);
  for (const [model, time] of Object.entries(canaries)) {
    const day = dayOf(now, time);
    for (const provider of canaryProviders(lifecycle, model)) {
      const last = made.find((one) => one.provider === provider && one.generation.model === model);
      const isDue = last?.state !== 'running' && (last?.canaryDay ?? '') < day;
      if (isDue) await start(lifecycle, { model, provider }, day);
    }
  }
  for (const last of await findCanaries(db)) {
    const { id, provider, state, generation } = last;
    const test = state === 'running' ? await readProviderTest(lifecycle, { id, uploads }) : last;
    if (test.state === 'running') await endAbandoned(db, provider);
    const { model } = generation;
    const isWanted = model in canaries && canaryProviders(lifecycle, model).includes(provider);
    if (isWanted) await tellOf(db, test);
  }
  await resolveUnseen(db, { kind: 'canary_failed', afterSeconds: unseenSeconds });
}

/** A day begins at `time`, so that a canary of 23:59 has a day to start, too. */
function dayOf(now: Date, time: string): string {
  const sinceMidnightMs = Date.parse(`1970-01-01T${time}Z`);
  return new Date(now.getTime() - sinceMidnightMs).toISOString().slice(0, 10);
}

/** The preview makes what it is asked for. */
export const canaryProviders = (
  { providers }: Pick<LifecycleContext, 'providers'>,
  model: string,
): string[] => [...new Set(providers.routeNames(model))].filter((name) => !isPreview(name));

async function start(
  lifecycle: LifecycleContext,
  { model, provider: name }: { readonly model: string; readonly provider: string },
  canaryDay: string,
): Promise<void> {
  const { db, log, providers } = lifecycle;
  const provider = providers.get(name);
  if (!provider) return;
  try {
    await startProviderTest(lifecycle, {
      provider,
      model,
      canaryDay,
      actor: 'canary',
      transaction: (work) => db.transaction(work),
      record: async () => {},
    });
  } catch (error) {
    // Another process was first, another test of the provider runs, or it makes no such video.
    if (!(error instanceof ApiError)) throw error;
    log.info({ provider: name, model, detail: error.message }, 'canary not started');
  }
}

async function tellOf(db: Database, test: ProviderTest): Promise<void> {
  const { provider, state, detail, canaryDay: day } = test;
  const { model } = test.generation;
  const subject = `${model} ${provider}`.slice(0, 200);
  const key = { kind: 'canary_failed', accountId: null, subject } as const;
  if (state === 'completed') await resolveNotice(db, key);
  if (state !== 'failed' || day === null) return;
  const problem = (detail ?? '').slice(0, 500);
  const notice = { ...key, detail: { model, provider, day, problem } };
  await db.transaction((tx) => raiseNotice(tx, notice));
}
