/**
 * Everybody else who asks during a soak run: a person at the dashboard, the operator, monitoring,
 * and people who sign in once and never sign out. What they leave behind must not stay for ever.
 */
import type { AuditAnswer } from '@vidgen/contract/admin-audit.ts';
import { elapsedMs, every } from '../../../server/clock.ts';
import { followLink, type Guest, openBrowser } from '../../kit/people.ts';
import { clientOf, type HttpAnswer, testAdminToken } from '../../kit/service.ts';
import type { Measurements } from './measurements.ts';
import type { World } from './world.ts';

export type Readers = {
  readonly breaches: readonly string[];
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
  world: World,
  measurements: Measurements,
  paces: Paces,
): Promise<Readers> {
  const breaches: string[] = [];
  let audits = 0;
  let turn = 0;
  const person = await joinAsAdministrator(world);

  /** Whether it was answered, and well; trouble is told only when nothing was killed. */
  async function read(
    operation: string,
    ask: () => Promise<HttpAnswer>,
  ): Promise<HttpAnswer | null> {
    const fromMs = elapsedMs();
    const answer = await ask().catch(() => null);
    if (answer && answer.status < 300) {
      measurements.took(operation, elapsedMs() - fromMs);
      return answer;
    }
    if (answer && !world.isTroubled) {
      breaches.push(`${operation}: ${answer.status} ${JSON.stringify(answer.body)}`);
    }
    return null;
  }

  const health = every(paces.healthMs, async () => {
    await read('health', () => world.admin.get('/healthz'));
  });
  const dashboard = every(paces.dashboardMs, async () => {
    const { id } = world.accounts[++turn % world.accounts.length]!;
    await read('dashboard', () => person.get('/session'));
    await read('dashboard', () => person.get('/admin/tasks?limit=50'));
    await read('dashboard', () => person.get(`/admin/accounts/${id}/tasks?limit=50`));
    await read('dashboard', () => person.get(`/admin/accounts/${id}/ledger?limit=50`));
    await read('dashboard', () => person.get(`/admin/accounts/${id}/deliveries?limit=50`));
    await read('usage', () => person.get(`/admin/accounts/${id}/usage?mode=live`));
    await read('summary', () => person.get('/admin/summary'));
  });
  const chores = every(paces.choresMs, async () => {
    await signInOnce(world, person);
    await useKeyOnce(world, ++turn);
  });
  const auditor = every(paces.auditMs, async () => {
    const answer = await read('audit', () => world.admin.get('/admin/audit'));
    if (!answer) return;
    audits += 1;
    const { checks } = answer.body as unknown as AuditAnswer;
    for (const { ok, name, offenders } of checks) {
      if (!ok) breaches.push(`the audit, while at work: ${name}: ${offenders.join(', ')}`);
    }
  });
  return {
    breaches,
    audits: () => audits,
    stop() {
      for (const timer of [health, dashboard, chores, auditor]) timer.stop();
    },
  };
}

async function joinAsAdministrator({ admin, steadyUrl }: World): Promise<Guest> {
  const { body } = await admin.post('/admin/invitations', {});
  return await followLink(steadyUrl, body.link as string);
}

/** From one more browser, which is then forgotten: its session must end by itself. */
async function signInOnce({ steadyUrl }: World, { email, password }: Guest): Promise<void> {
  await openBrowser(steadyUrl)
    .post('/session', { email, password })
    .catch(() => {});
}

/** A key that lives for a moment: it leaves windows of creates and of status queries behind. */
async function useKeyOnce({ accounts, steadyUrl }: World, turn: number): Promise<void> {
  const { id } = accounts[turn % accounts.length]!;
  const admin = clientOf(steadyUrl, testAdminToken);
  try {
    const wanted = { name: 'For a moment', mode: 'live' };
    const { body } = await admin.post(`/admin/accounts/${id}/keys`, wanted);
    const client = clientOf(steadyUrl, body.key as string);
    await client.get('/v1/credits');
    await client.create({ model: 'a boat' });
    await admin.send('DELETE', `/admin/keys/${body.id}`);
  } catch {
    // Killed in between: what is left of it has to go all the same.
  }
}
