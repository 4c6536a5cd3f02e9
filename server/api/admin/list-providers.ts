/** Lists the providers with their health as this process sees it. */
import { ListProvidersResponse, type ProviderHealth } from '@vidgen/contract/admin-providers.ts';
import { modelNames } from '@vidgen/contract/models.ts';
import { countOpenAttempts } from '../../tasks/find-attempts.ts';
import { endpoint } from '../http/endpoint.ts';
import { createdAt } from '../http/samples.ts';
import { listDescription } from './samples.ts';

const providerHealth = {
  name: 'ark',
  models: ['vidgen-2-5', 'vidgen-2-0'],
  breaker: 'closed',
  seconds_until_trial: 0,
  open_tasks: 3,
  concurrency: 10,
  starts: { accepted: 128, refused: 2, throttled: 5, unknown: 1 },
  status_troubles: 4,
  start_ms: { p50: 420, p95: 1800 },
  last_trouble: { detail: 'HTTP 500 InternalServiceError', at: createdAt },
};

export const listProviders = endpoint({
  operationId: 'listProviders',
  method: 'GET',
  path: '/admin/providers',
  summary: 'How the generators are doing',
  description:
    'Measured by the process that handles the request; `open_tasks` counts all processes.',
  auth: 'admin',
  responses: { 200: listDescription(ListProvidersResponse, providerHealth) },
  errors: { invalid_request: 'limit must be at most 100 (got "500")' },
  async handler({ lifecycle: { db, providers } }) {
    const open = new Map(
      (await countOpenAttempts(db)).map(({ provider, attempts }) => [provider, attempts]),
    );
    const modelsOf = (name: string) =>
      modelNames.filter((model) =>
        providers.routeFor(model, { mode: 'live', demo: false }).some((one) => one.name === name),
      );
    const items = providers.health().map(
      (health): ProviderHealth => ({
        name: health.provider,
        models: modelsOf(health.provider),
        breaker: health.breaker,
        seconds_until_trial: health.secondsUntilTrial,
        open_tasks: open.get(health.provider) ?? 0,
        concurrency: providers.limitsOf(health.provider).concurrency ?? null,
        starts: health.starts,
        status_troubles: health.statusErrors,
        start_ms: health.startMs,
        last_trouble: health.lastError && {
          detail: health.lastError.detail,
          at: health.lastError.unixSeconds,
        },
      }),
    );
    return { body: { items, next_cursor: null } };
  },
});
