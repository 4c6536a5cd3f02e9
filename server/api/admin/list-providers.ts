/** `GET /admin/providers`: how the generators are doing, for the operator's page. */
import type { ProviderHealth } from '@vidgen/contract/admin-providers.ts';
import { modelNames } from '@vidgen/contract/models.ts';
import { countOpenAttempts } from '../../tasks/attempts.ts';
import type { ApiRequest, ApiResponse, ApiServices } from '../http/handler.ts';

export async function getProviders(
  { lifecycle }: ApiServices,
  _request: ApiRequest,
): Promise<ApiResponse> {
  const { db, providers } = lifecycle;
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
}
