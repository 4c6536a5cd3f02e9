/** The stages of a task on a scratch database with scripted providers, run one job at a time. */
import { pino } from 'pino';
import { createCatalog } from '../../server/catalog/catalog.ts';
import type { Database } from '../../server/database/database.ts';
import { createAcceptTask } from '../../server/lifecycle/accept.ts';
import {
  createLifecycle,
  type LifecycleContext,
  type LifecycleDeps,
} from '../../server/lifecycle/context.ts';
import type { Provider } from '../../server/providers/provider.ts';
import { createRegistry, type RegistryOptions } from '../../server/providers/registry.ts';
import { claim } from '../../server/queue/claim.ts';
import type { Job } from '../../server/queue/job.ts';
import { createScriptedProvider } from './scripted-provider.ts';
import { createOf, seedAccount } from './seed.ts';

export const model = 'vidgen-2-0-mini';

/** A process with these providers, tried in this order. */
export function lifecycleWith(
  db: Database,
  providers: readonly Provider[],
  limits: NonNullable<RegistryOptions['limits']> = {},
): LifecycleContext {
  const named = Object.fromEntries(providers.map((provider) => [provider.name, provider]));
  const deps = {
    db,
    log: pino({ level: 'silent' }),
    catalog: createCatalog(),
    providers: createRegistry({
      providers: named,
      limits,
      routes: { [model]: Object.keys(named) },
      preview: createScriptedProvider({ name: 'preview' }),
      testPreview: createScriptedProvider({ name: 'test-preview' }),
    }),
    sources: { has: () => false },
    endUserOf: (accountId: string) => accountId,
    settings: { providerCallbackBaseUrl: null },
  } as unknown as LifecycleDeps;
  return createLifecycle(deps);
}

export async function claimNewTask(db: Database): Promise<Job> {
  const account = await seedAccount(db, { credits: 100 });
  await createAcceptTask({ db })(createOf(account));
  return (await claimJob(db))!;
}

export async function claimJob(db: Database): Promise<Job | undefined> {
  const slots = { jobsMax: 1, perAccountMax: 1, perReceiverMax: 1, includeIsolated: true };
  return (await claim(db, { owner: 'test', queue: 'default', ...slots }))[0];
}

type JobRow = { readonly kind: string; readonly waits: readonly string[] | null };

/** The task's job as it is stored: its kind, the places it waits for, its delay in seconds. */
export async function readJob(db: Database, taskId: string) {
  const { rows } = await db.query<JobRow & { delay: number }>(
    `select kind, waits_for as waits, round(extract(epoch from run_at - now()))::int as delay
     from jobs where task_id = $1`,
    [taskId],
  );
  return rows[0];
}

/** The outcomes of its attempts by provider, in order. */
export async function readAttempts(db: Database, taskId: string) {
  const { rows } = await db.query<{ provider: string; outcome: string | null }>(
    'select provider, outcome from attempts where task_id = $1 order by number',
    [taskId],
  );
  return rows.map(({ provider, outcome }) => `${provider}: ${outcome ?? 'open'}`);
}
