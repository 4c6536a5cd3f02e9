/**
 * Canaries: one smallest test video a day at every provider of the routes that have one, and a
 * notice while the last one of a provider failed. Any number of processes may run this at once: the
 * row of the day decides which of them starts it, and it is never started again.
 */
import { ApiError } from '@vidgen/contract/api-error.ts';
import { raiseNotice, resolveNotice, resolveUnseen } from '../../messages/notice.ts';
import { endAbandoned, findCanaries } from '../../providers/connected/test-store.ts';
import { previewNames } from '../../providers/preview/preview.ts';
import type { Uploads } from '../../storage/uploads.ts';
import type { LifecycleContext } from '../context.ts';
import { readProviderTest, startProviderTest } from '../submit/send-test-video.ts';

type CanaryOptions = {
  /** Times in UTC, such as 04:00, by model. */
  readonly canaries: Readonly<Record<string, string>>;
  readonly uploads: Uploads;
  readonly now: Date;
};

type Canary = { readonly model: string; readonly provider: string };

/** Of a canary that is not wanted any more. */
const unseenSeconds = 2 * 86_400;

export async function watchCanaries(
  lifecycle: LifecycleContext,
  { canaries, uploads, now }: CanaryOptions,
): Promise<void> {
  const { db } = lifecycle;
  const day = now.toISOString().slice(0, 10);
  const time = now.toISOString().slice(11, 16);
  const made = await findCanaries(db);
  for (const [model, at] of Object.entries(canaries)) {
    for (const provider of canaryProviders(lifecycle, model)) {
      const last = made.find((one) => one.provider === provider && one.generation.model === model);
      const isDue = time >= at && (last?.canaryDay ?? '') < day;
      if (isDue && last?.state !== 'running') await start(lifecycle, { model, provider }, day);
    }
  }
  for (const { id, provider, state } of await findCanaries(db)) {
    if (state !== 'running') continue;
    await readProviderTest(lifecycle, { id, uploads });
    await endAbandoned(db, provider);
  }
  await tellOf(lifecycle, canaries);
}

/** The preview makes what it is asked for. */
export const canaryProviders = (
  { providers }: Pick<LifecycleContext, 'providers'>,
  model: string,
): string[] =>
  [...new Set(providers.routeNames(model))].filter(
    (name) => !previewNames.some((preview) => preview === name),
  );

async function start(
  lifecycle: LifecycleContext,
  { model, provider: name }: Canary,
  canaryDay: string,
): Promise<void> {
  const { db, log, providers } = lifecycle;
  const provider = providers.get(name);
  if (!provider) return;
  try {
    await startProviderTest(lifecycle, {
      ...{ provider, model, canaryDay, actor: 'canary' },
      transaction: (work) => db.transaction(work),
      record: async () => {},
    });
  } catch (error) {
    // Another process was first, another test of the provider runs, or it makes no such video.
    if (!(error instanceof ApiError)) throw error;
    log.info({ provider: name, model, detail: error.message }, 'canary not started');
  }
}

/** Reads the rows again, so that a process that dies in between has told nobody less. */
async function tellOf(
  lifecycle: LifecycleContext,
  canaries: CanaryOptions['canaries'],
): Promise<void> {
  const { db } = lifecycle;
  for (const { provider, generation, state, detail, canaryDay } of await findCanaries(db)) {
    const { model } = generation;
    const isWanted =
      canaries[model] !== undefined && canaryProviders(lifecycle, model).includes(provider);
    if (!isWanted || state === 'running' || canaryDay === null) continue;
    const key = {
      kind: 'canary_failed',
      accountId: null,
      subject: `${model} ${provider}`.slice(0, 200),
    } as const;
    if (state === 'completed') await resolveNotice(db, key);
    else {
      const problem = (detail ?? '').slice(0, 500);
      const notice = { ...key, detail: { model, provider, day: canaryDay, problem } };
      await db.transaction((tx) => raiseNotice(tx, notice));
    }
  }
  await resolveUnseen(db, { kind: 'canary_failed', afterSeconds: unseenSeconds });
}
