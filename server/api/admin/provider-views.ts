/** Providers, routes and tests as JSON, for administrators. */
import type {
  ProviderHealth,
  ProviderRoute,
  ProviderTest as ProviderTestView,
} from '@vidgen/contract/admin-providers.ts';
import { modelNames } from '@vidgen/contract/models.ts';
import { unixSeconds as currentSeconds } from '../../clock.ts';
import type { Queryable } from '../../database/database.ts';
import { listOpenNotices } from '../../messages/notice.ts';
import type { ConnectedView } from '../../providers/connected/connections.ts';
import type { ProviderTest } from '../../providers/connected/test-store.ts';
import type { ProviderHealth as Health } from '../../providers/health.ts';
import { upstreamUrl } from '../../providers/kinds.ts';
import { previewNames } from '../../providers/preview/preview.ts';
import { countOpenAttempts } from '../../tasks/find-attempts.ts';
import type { ApiServices } from '../http/handler.ts';
import { unixSeconds } from '../http/timestamps.ts';

/** Of a provider that this process could not create. */
const noHealth: Omit<Health, 'provider'> = {
  breaker: 'closed',
  secondsUntilTrial: 0,
  starts: { accepted: 0, refused: 0, throttled: 0, unknown: 0 },
  statusErrors: 0,
  startMs: null,
  lastError: null,
  lastAccepted: null,
};

export async function listProviderViews(services: ApiServices): Promise<ProviderHealth[]> {
  const { db, providers } = services.lifecycle;
  const [counted, figuresOf, outages] = await Promise.all([
    countOpenAttempts(db),
    services.providerFigures(),
    findOutages(db),
  ]);
  const open = new Map(counted.map(({ provider, attempts }) => [provider, attempts]));
  const connected = new Map(services.connections.list().map((one) => [one.name, one]));
  const health = new Map(providers.health().map((one) => [one.provider, one]));
  const names = new Set([...health.keys(), ...connected.keys()]);
  return [...names].map((name) =>
    providerView(services, {
      health: withOutage(health.get(name) ?? { ...noHealth, provider: name }, outages.get(name)),
      connected: connected.get(name),
      openTasks: open.get(name) ?? 0,
      figures: figuresOf(name),
    }),
  );
}

type Outage = { readonly error: string | null; readonly seenSeconds: number };

/** The breakers that workers have reported as open, by provider. */
async function findOutages(db: Queryable): Promise<Map<string, Outage>> {
  const notices = await listOpenNotices(db, 'provider_breaker_open');
  return new Map(
    notices.map(({ detail: { provider, error }, seenAt }) => [
      provider,
      { error, seenSeconds: unixSeconds(seenAt) },
    ]),
  );
}

/**
 * Tasks are sent by workers, whose breakers this process does not have. What it saw itself is newer
 * than an outage if it got a task accepted since.
 */
function withOutage(health: Health, outage: Outage | undefined): Health {
  if (!outage || health.breaker !== 'closed') return health;
  const { error, seenSeconds } = outage;
  if ((health.lastAccepted ?? 0) > seenSeconds) return health;
  const lastError = error === null ? health.lastError : { detail: error, unixSeconds: seenSeconds };
  return { ...health, breaker: 'open', lastError };
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
  const isBuiltIn = previewNames.some((one) => one === name);
  const settings = fileProviders[name];
  // What the configuration file has wins.
  const own = settings ? undefined : connected;
  const problem = own?.problem ?? null;
  const now = currentSeconds();
  return {
    name,
    source: isBuiltIn ? 'built-in' : own ? 'dashboard' : 'file',
    kind: settings?.kind ?? own?.kind ?? null,
    base_url: settings ? upstreamUrl(settings) : (own?.baseUrl ?? null),
    key_last_four: own?.lastFour ?? null,
    state: own?.isRemoved ? 'removing' : problem === null ? 'active' : 'locked',
    serves: [...(providers.get(name)?.models ?? modelNames)],
    models: modelNames.filter((model) => providers.routeNames(model).includes(name)),
    breaker: health.breaker,
    seconds_until_trial: health.secondsUntilTrial,
    open_tasks: openTasks,
    concurrency: providers.limitsOf(name).concurrency ?? null,
    last_30_days: figures,
    starts: health.starts,
    status_troubles: health.statusErrors,
    start_ms: health.startMs,
    last_trouble: problem
      ? { detail: problem, at: now }
      : lastError && { detail: lastError.detail, at: lastError.unixSeconds },
  };
}

export const routeViews = ({ lifecycle: { providers } }: ApiServices): ProviderRoute[] =>
  modelNames.map((model) => ({
    model,
    providers: [...providers.routeNames(model)],
    source: providers.routeSource(model),
  }));

export const providerTestView = (test: ProviderTest): ProviderTestView => ({
  id: test.id,
  provider: test.provider,
  model: test.generation.model,
  resolution: test.generation.resolution,
  duration: test.generation.duration,
  state: test.state,
  progress: test.progress,
  detail: test.detail,
  video_url: test.videoUrl,
  created_at: unixSeconds(test.createdAt),
  seconds: test.seconds,
});
