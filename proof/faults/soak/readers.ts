/**
 * Everybody else who asks during a soak run: a person at the dashboard, the operator, monitoring,
 * and people who sign in once and never sign out. What they leave behind must not stay for ever.
 */
import type { AuditResponse } from '@vidgen/contract/admin-audit.ts';
import { monotonicMs, startInterval } from '../../../server/clock.ts';
import { followLink, type Guest, openBrowserSession } from '../../kit/people.ts';
import { clientOf, type HttpResponse, testAdminToken } from '../../kit/service.ts';
import type { SoakEnvironment } from './environment.ts';
import type { Measurements } from './measurements.ts';

export type Readers = {
  readonly violations: readonly string[];
  readonly audits: () => number;
  stop(): void;
};

export type Paces = {
  readonly healthMs: number;
  readonly dashboardMs: number;
  readonly choresMs: number;
  readonly auditMs: number;
};

export async function startReaders(
  env: SoakEnvironment,
  measurements: Measurements,
  paces: Paces,
): Promise<Readers> {
  const violations: string[] = [];
  let audits = 0;
  let round = 0;
  const person = await joinAsAdministrator(env);

  /** Whether it was answered, and well; trouble is told only when nothing was killed. */
  async function read(
    operation: string,
    send: () => Promise<HttpResponse>,
  ): Promise<HttpResponse | null> {
    const fromMs = monotonicMs();
    const response = await send().catch(() => null);
    if (response && response.status < 300) {
      measurements.took(operation, monotonicMs() - fromMs);
      return response;
    }
    if (response && !env.isDisturbed) {
      violations.push(`${operation}: ${response.status} ${JSON.stringify(response.body)}`);
    }
    return null;
  }

  const health = startInterval(paces.healthMs, async () => {
    await read('health', () => env.admin.get('/healthz'));
  });
  const dashboard = startInterval(paces.dashboardMs, async () => {
    const { id } = env.accounts[++round % env.accounts.length]!;
    await read('dashboard', () => person.get('/session'));
    await read('dashboard', () => person.get('/admin/tasks?limit=50'));
    await read('dashboard', () => person.get(`/admin/accounts/${id}/tasks?limit=50`));
    await read('dashboard', () => person.get(`/admin/accounts/${id}/ledger?limit=50`));
    await read('dashboard', () => person.get(`/admin/accounts/${id}/deliveries?limit=50`));
    await read('usage', () => person.get(`/admin/accounts/${id}/usage?mode=live`));
    await read('summary', () => person.get('/admin/summary'));
  });
  const chores = startInterval(paces.choresMs, async () => {
    await signInOnce(env, person);
    await useKeyOnce(env, ++round);
  });
  const auditor = startInterval(paces.auditMs, async () => {
    const response = await read('audit', () => env.admin.get('/admin/audit'));
    if (!response) return;
    audits += 1;
    const { checks } = response.body as unknown as AuditResponse;
    for (const { ok, name, offenders } of checks) {
      if (!ok) violations.push(`the audit, while at work: ${name}: ${offenders.join(', ')}`);
    }
  });
  return {
    violations,
    audits: () => audits,
    stop() {
      for (const timer of [health, dashboard, chores, auditor]) timer.stop();
    },
  };
}

async function joinAsAdministrator({ admin, steadyUrl }: SoakEnvironment): Promise<Guest> {
  const { body } = await admin.post('/admin/invitations', {});
  return await followLink(steadyUrl, body.link as string);
}

/** From one more browser, which is then forgotten: its session must end by itself. */
async function signInOnce(
  { steadyUrl }: SoakEnvironment,
  { email, password }: Guest,
): Promise<void> {
  await openBrowserSession(steadyUrl)
    .post('/session', { email, password })
    .catch(() => {});
}

/** A key that lives for a moment: it leaves windows of creates and of status queries behind. */
async function useKeyOnce({ accounts, steadyUrl }: SoakEnvironment, round: number): Promise<void> {
  const { id } = accounts[round % accounts.length]!;
  const admin = clientOf(steadyUrl, testAdminToken);
  try {
    const keyRequest = { name: 'For a moment', mode: 'live' };
    const { body } = await admin.post(`/admin/accounts/${id}/keys`, keyRequest);
    const client = clientOf(steadyUrl, body.key as string);
    await client.get('/v1/credits');
    await client.create({ model: 'a boat' });
    await admin.send('DELETE', `/admin/keys/${body.id}`);
  } catch {
    // Killed in between: what is left of it has to go all the same.
  }
}
