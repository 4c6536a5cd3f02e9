/**
 * All other callers of a soak run: a person at the dashboard, the operator, monitoring, and people
 * who sign in once and never sign out. The rows they leave must be deleted in time.
 */
import { startInterval } from '../../../server/process/clock.ts';
import { type Guest, newAdministrator, openBrowserSession } from '../../kit/people.ts';
import { clientOf, type HttpResponse } from '../../kit/service.ts';
import { brokenChecks } from '../findings.ts';
import type { Installation } from '../installation.ts';
import type { SoakEnvironment } from './environment.ts';

export type SoakReaders = {
  readonly violations: readonly string[];
  readonly audits: () => number;
  stop(): void;
};

type ReaderPaces = {
  readonly dashboardMs: number;
  readonly choresMs: number;
  readonly auditMs: number;
};

export async function startReaders(env: SoakEnvironment, paces: ReaderPaces): Promise<SoakReaders> {
  const violations: string[] = [];
  let audits = 0;
  let round = 0;
  const { installation } = env;
  const { admin, accounts } = installation;
  const person = await newAdministrator(installation);

  /** An error response is a violation unless the database was killed. */
  async function read(
    operation: string,
    send: () => Promise<HttpResponse>,
  ): Promise<HttpResponse | null> {
    const response = await send().catch(() => null);
    if (response && response.status < 300) return response;
    if (response && !env.isDisturbed) {
      violations.push(`${operation}: ${response.status} ${JSON.stringify(response.body)}`);
    }
    return null;
  }

  const dashboard = startInterval(paces.dashboardMs, async () => {
    const { id } = accounts[++round % accounts.length]!;
    await read('dashboard', () => person.get('/session'));
    await read('dashboard', () => person.get('/admin/tasks?limit=50'));
    await read('dashboard', () => person.get(`/admin/accounts/${id}/tasks?limit=50`));
    await read('dashboard', () => person.get(`/admin/accounts/${id}/ledger?limit=50`));
    await read('dashboard', () => person.get(`/admin/accounts/${id}/deliveries?limit=50`));
    await read('usage', () => person.get(`/admin/accounts/${id}/usage?mode=live`));
    await read('summary', () => person.get('/admin/summary'));
  });
  const chores = startInterval(paces.choresMs, async () => {
    await signInOnce(installation, person);
    await useKeyOnce(installation, ++round);
  });
  const auditor = startInterval(paces.auditMs, async () => {
    const response = await read('audit', () => admin.get('/admin/audit'));
    if (!response) return;
    audits += 1;
    violations.push(...brokenChecks(response.body).map((one) => `during the run: ${one}`));
  });
  return {
    violations,
    audits: () => audits,
    stop() {
      for (const timer of [dashboard, chores, auditor]) timer.stop();
    },
  };
}

/** Signs in with a new browser that never signs out: its session must expire. */
async function signInOnce({ url }: Installation, { email, password }: Guest): Promise<void> {
  await openBrowserSession(url)
    .post('/session', { email, password })
    .catch(() => {});
}

/** Uses a new key once and revokes it: its rate limit windows must be deleted. */
async function useKeyOnce({ accounts, url, admin }: Installation, round: number): Promise<void> {
  const { id } = accounts[round % accounts.length]!;
  try {
    const keyRequest = { name: 'Used once', mode: 'live' };
    const { body } = await admin.post(`/admin/accounts/${id}/keys`, keyRequest);
    const client = clientOf(url, body.key as string);
    await client.get('/v1/credits');
    await client.create({ model: 'a boat' });
    await admin.send('DELETE', `/admin/keys/${body.id}`);
  } catch {
    // The process was killed in between; the rows must be deleted all the same.
  }
}
