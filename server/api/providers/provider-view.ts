/** Providers and routes as JSON, for administrators. */

import type { ProviderHealth, ProviderRoute } from '@vidgen/contract/admin-providers.ts';
import { unixSeconds } from '../../process/clock.ts';
import { listAnnouncedHealth } from '../../processes/processes.ts';
import type { ConnectedView } from '../../providers/connected/connections.ts';
import {
  ageHealth,
  type ProviderHealth as Health,
  mergeHealth,
  newHealth,
} from '../../providers/health.ts';
import { upstreamUrl } from '../../providers/kinds.ts';
import { isPreview } from '../../providers/preview/preview.ts';
import { namesIn, orderedBy } from '../../providers/route.ts';
import { countOpenAttempts } from '../../tasks/find-attempts.ts';
import type { ApiServices } from '../http/handler.ts';

export async function listProviderViews(services: ApiServices): Promise<ProviderHealth[]> {
  const [counted, figuresOf, health] = await Promise.all([
    countOpenAttempts(services.lifecycle.db),
    services.providerFigures(),
    readHealth(services),
  ]);
  const open = new Map(counted.map(({ provider, attempts }) => [provider, attempts]));
  const connected = new Map(services.connections.list().map((one) => [one.name, one]));
  const own = services.lifecycle.providers.list().map(({ name }) => name);
  const names = new Set([...own, ...connected.keys()]);
  return [...names].map((name) =>
    providerView(services, {
      health: health.get(name) ?? newHealth(name),
      connected: connected.get(name),
      openTasks: open.get(name) ?? 0,
      figures: figuresOf(name),
    }),
  );
}

/** By provider, over all processes: tasks are sent by workers, and a test video by any process. */
async function readHealth({
  processId,
  lifecycle: { db, providers },
}: ApiServices): Promise<ReadonlyMap<string, Health>> {
  const others = await listAnnouncedHealth<Health>(db, { exceptId: processId });
  const announced = others.flatMap(({ health, ageSeconds }) =>
    health.map((one) => ageHealth(one, ageSeconds)),
  );
  const merged = new Map<string, Health>();
  for (const one of [...providers.health(), ...announced]) {
    const known = merged.get(one.provider);
    merged.set(one.provider, known ? mergeHealth(known, one) : one);
  }
  return merged;
}

function providerView(
  { lifecycle: { providers }, fileProviders }: ApiServices,
  {
    health,
    connected,
    openTasks,
    figures,
  }: {
    readonly health: Health;
    readonly connected: ConnectedView | undefined;
    readonly openTasks: number;
    readonly figures: ProviderHealth['last_30_days'];
  },
): ProviderHealth {
  const { provider: name, lastError } = health;
  const isBuiltIn = isPreview(name);
  const settings = fileProviders[name];
  // What the configuration file has wins.
  const own = settings ? undefined : connected;
  const problem = own?.problem ?? null;
  const now = unixSeconds();
  return {
    name,
    source: isBuiltIn ? 'built-in' : own ? 'dashboard' : 'file',
    kind: settings?.kind ?? own?.kind ?? null,
    base_url: settings ? upstreamUrl(settings) : (own?.baseUrl ?? null),
    key_last_four: own?.lastFour ?? null,
    state: own?.isRemoved ? 'removing' : problem === null ? 'active' : 'locked',
    serves: [...(providers.get(name)?.models ?? providers.modelNames())],
    models: providers.modelNames().filter((model) => providers.routeNames(model).includes(name)),
    breaker: health.breaker,
    seconds_until_trial: health.secondsUntilTrial,
    open_tasks: openTasks,
    concurrency: providers.limitsOf(name).concurrency ?? null,
    last_30_days: figures,
    starts: health.starts,
    status_troubles: health.statusErrors,
    start_ms: startTimesView(health.startTimes),
    last_trouble: problem
      ? { detail: problem, at: now }
      : lastError && { detail: lastError.detail, at: lastError.unixSeconds },
  };
}

function startTimesView(times: readonly number[]): ProviderHealth['start_ms'] {
  if (times.length === 0) return null;
  const sorted = times.toSorted((one, other) => one - other);
  const percentile = (share: number) => sorted[Math.floor((sorted.length - 1) * share)]!;
  return { p50: percentile(0.5), p95: percentile(0.95) };
}

export const routeViews = ({ lifecycle: { providers } }: ApiServices): ProviderRoute[] =>
  providers.modelNames().map((model) => ({
    model,
    providers: [...providers.routeNames(model)],
    steps: providers.routeSteps(model).map((step) => ({
      providers: [...namesIn(step)],
      by: orderedBy(step),
    })),
    source: providers.routeSource(model),
  }));
