/**
 * The checks of `/healthz` and `/readyz`. Everyone may call these, so why a check failed is only
 * logged.
 */
import { HealthResponse } from '@vidgen/contract/admin-audit.ts';
import type { Database } from '../../database/database.ts';
import type { LifecycleContext } from '../../lifecycle/context.ts';
import { sleep } from '../../process/clock.ts';
import type { ResponseDescription } from '../http/endpoint-definition.ts';
import type { ApiResponse } from '../http/handler.ts';

type Checks = Readonly<Record<string, string>>;

const healthOf = (checks: Checks): HealthResponse => ({
  ok: Object.values(checks).every((result) => result === 'ok'),
  checks: { ...checks },
});

/** `notes` are shown, and decide nothing. */
export function healthResponse(checks: Checks, notes: Checks = {}): ApiResponse {
  const { ok } = healthOf(checks);
  const body: HealthResponse = { ok, checks: { ...checks, ...notes } };
  return { status: ok ? 200 : 503, body };
}

export const healthDescription = (
  description: string,
  [name, summary, checks]: readonly [name: string, summary: string, checks: Checks],
): ResponseDescription => ({
  description,
  schema: HealthResponse,
  examples: { [name]: [summary, healthOf(checks)] },
});

export const checkDatabase = (lifecycle: LifecycleContext): Promise<string> =>
  runCheck(lifecycle, 'not reachable', async (db) => {
    await db.query('select 1');
    return 'ok';
  });

/** Supervisors and load balancers wait for two seconds or longer. */
const checkMsMax = 1500;
/** Checks that hang: further ones would only take connections. */
const hanging = new WeakMap<Database, Map<string, Promise<string>>>();

/** Returns `failureText` if the check throws, or has no result in time. */
export async function runCheck(
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
