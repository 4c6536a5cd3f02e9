/**
 * `/healthz`, `/readyz` and `/metrics`. Everyone may call the first two, so why a check failed is
 * only logged.
 */
import { HealthResponse } from '@vidgen/contract/admin-audit.ts';
import { ApiError } from '@vidgen/contract/api-error.ts';
import { z } from 'zod';
import type { Database } from '../../database/database.ts';
import { missingMigrations } from '../../database/migrate.ts';
import type { LifecycleContext } from '../../lifecycle/context.ts';
import { sleep } from '../../process/clock.ts';
import { hasLiveWorker } from '../../processes/processes.ts';
import { hasAdminToken } from '../http/authorize.ts';
import { endpoint } from '../http/endpoint.ts';
import type { Endpoint, ResponseDescription } from '../http/endpoint-definition.ts';
import type { ApiResponse, ApiServices } from '../http/handler.ts';
import type { Metrics } from '../http/metrics.ts';

type Checks = Readonly<Record<string, string>>;

const healthOf = (checks: Checks): HealthResponse => ({
  ok: Object.values(checks).every((result) => result === 'ok'),
  checks: { ...checks },
});

/** `notes` are shown, and decide nothing. */
function healthResponse(checks: Checks, notes: Checks = {}): ApiResponse {
  const { ok } = healthOf(checks);
  const body: HealthResponse = { ok, checks: { ...checks, ...notes } };
  return { status: ok ? 200 : 503, body };
}

const healthDescription = (
  description: string,
  [name, summary, checks]: readonly [name: string, summary: string, checks: Checks],
): ResponseDescription => ({
  description,
  schema: HealthResponse,
  examples: { [name]: [summary, healthOf(checks)] },
});

const checkDatabase = (lifecycle: LifecycleContext): Promise<string> =>
  runCheck(lifecycle, 'not reachable', async (db) => {
    await db.query('select 1');
    return 'ok';
  });

/** Supervisors and load balancers wait for two seconds or longer. */
const checkMsMax = 1500;
/** Checks that hang: further ones would only take connections. */
const hanging = new WeakMap<Database, Map<string, Promise<string>>>();

/** Returns `failureText` if the check throws, or has no result in time. */
async function runCheck(
  { db, log }: LifecycleContext,
  failureText: string,
  check: (db: Database) => Promise<string>,
): Promise<string> {
  const running = hanging.get(db) ?? new Map<string, Promise<string>>();
  hanging.set(db, running);
  const result = running.get(failureText) ?? check(db);
  running.set(failureText, result);
  const ended = new AbortController();
  const late = sleep(checkMsMax, ended.signal).then(() => null);
  try {
    const found = await Promise.race([result.finally(() => running.delete(failureText)), late]);
    if (found === null) log.error({ check: failureText }, 'health check had no result in time');
    return found ?? failureText;
  } catch (error) {
    log.error({ error }, 'health check failed');
    return failureText;
  } finally {
    ended.abort();
  }
}

const healthz = endpoint({
  operationId: 'healthz',
  method: 'GET',
  path: '/healthz',
  summary: 'Check liveness',
  auth: 'none',
  responses: {
    200: healthDescription('Requests are served, and database and storage work.', [
      'up',
      'Up',
      { database: 'ok' },
    ]),
    503: healthDescription('The database is not reachable, or the storage has been failing.', [
      'down',
      'Down',
      { database: 'not reachable' },
    ]),
  },
  handler: checkHealth,
});

type HealthDeps = Pick<ApiServices, 'lifecycle' | 'storeProblems'>;

export async function checkHealth({ lifecycle, storeProblems }: HealthDeps): Promise<ApiResponse> {
  return healthResponse({ ...storeProblems(), database: await checkDatabase(lifecycle) });
}

const readyz = endpoint({
  operationId: 'readyz',
  method: 'GET',
  path: '/readyz',
  summary: 'Check readiness',
  auth: 'none',
  responses: {
    200: healthDescription(
      'Migrations are applied, and every model has a provider: one without is not served. ' +
        '`worker` says whether tasks are worked on, by any process; without one they wait.',
      ['ready', 'Ready', { migrations: 'ok', providers: 'ok', worker: 'ok' }],
    ),
    503: healthDescription('Not yet.', [
      'waiting',
      'Not yet',
      { migrations: 'ok', providers: 'no provider for vidgen-2-0-mini' },
    ]),
  },
  handler: async (services) =>
    services.isStopping()
      ? healthResponse({ process: 'stopping' })
      : await checkReadiness(services),
});

export async function checkReadiness({
  lifecycle,
}: Pick<ApiServices, 'lifecycle'>): Promise<ApiResponse> {
  const unserved = lifecycle.providers.unserved();
  const [database, migrations, worker] = await Promise.all([
    checkDatabase(lifecycle),
    runCheck(lifecycle, 'cannot be read', async (db) => {
      const missing = await missingMigrations(db);
      return missing.length === 0 ? 'ok' : `not applied: ${missing.join(', ')}`;
    }),
    runCheck(lifecycle, 'unknown', async (db) =>
      (await hasLiveWorker(db)) ? 'ok' : 'none is running',
    ),
  ]);
  const providers = unserved.length === 0 ? 'ok' : `no provider for ${unserved.join(', ')}`;
  // Without a worker tasks wait, and all else is served: no reason to send requests elsewhere.
  return healthResponse({ database, migrations, providers }, { worker });
}

/** With one of these, the socket belongs to a proxy and says nothing about the caller. */
const proxyHeaders = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'] as const;

export const getMetrics = (metrics: Metrics): Endpoint =>
  endpoint({
    operationId: 'metrics',
    method: 'GET',
    path: '/metrics',
    summary: 'Get metrics for Prometheus',
    description: 'Open to this machine itself; from elsewhere with the metrics or admin token.',
    auth: 'admin',
    authorizesItself: true,
    responses: {
      200: { description: 'Prometheus text.', schema: z.string(), contentType: 'text/plain' },
    },
    errors: {
      invalid_api_key: 'Metrics need the admin token, or a direct call from this machine.',
    },
    async handler(services, { remoteAddress, headers: requestHeaders }) {
      const caller = { remoteAddress: remoteAddress(), headers: requestHeaders };
      if (!mayReadMetrics(services, caller)) {
        throw new ApiError(
          'invalid_api_key',
          'Metrics require the admin token or a direct request from this machine.',
        );
      }
      const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' };
      return { text: await metrics.text(), headers };
    },
  });

export function mayReadMetrics(
  { adminToken, metricsToken }: Pick<ApiServices, 'adminToken' | 'metricsToken'>,
  caller: {
    readonly remoteAddress: string | undefined;
    readonly headers: Readonly<Record<string, unknown>>;
  },
): boolean {
  const { remoteAddress, headers } = caller;
  const isLocal = /^(::ffff:)?127\.|^::1$/.test(remoteAddress ?? '');
  const isDirect = proxyHeaders.every((name) => headers[name] === undefined);
  const authorization = headers.authorization as string | undefined;
  return (
    (isLocal && isDirect) ||
    [adminToken, metricsToken].some(
      (token) => token !== null && hasAdminToken({ adminToken: token }, authorization),
    )
  );
}

export const healthEndpoints = [healthz, readyz];
