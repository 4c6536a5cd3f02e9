/**
 * What tests of the dashboard add to the studio: failed, rejected and cancelled tasks, a webhook
 * that is not delivered, a refund that waits, and a prompt with markup. Not for screenshots.
 */
import assert from 'node:assert/strict';
import type { AdminTask } from '@vidgen/contract/admin-tasks.ts';
import type { SeededStudio } from './dashboard-seed.ts';
import type { TestService } from './service.ts';

/** Must be shown as text on every page. */
export const hostilePrompt =
  '<img src=x onerror="document.title=\'taken over\'"><b>A storm</b> over the sea & {{cliffs}}';

/** Lets the retries of a failing webhook end while the test runs. */
export const failureSettings = { VIDGEN_WEBHOOK_RETRIES: '1s,1s,1s,1s,1s' };

export type SeededFailures = { readonly failed: string; readonly hostile: string };

export async function seedFailures(
  service: TestService,
  { client, testClient, receiver, createTask }: SeededStudio,
): Promise<SeededFailures> {
  const { admin } = service;
  receiver.onWebhook(({ path }, response) =>
    path.endsWith('/failing')
      ? response.writeHead(500).end('{"sorry": true}')
      : response.writeHead(200).end(),
  );
  const hostile = await createTask(client, { input: { prompt: hostilePrompt } });
  const failed = await createTask(testClient, {
    input: { prompt: 'A quiet street [test:fail]' },
    callbackUrl: `${receiver.url}/failing`,
  });
  await createTask(testClient, { input: { prompt: 'Something forbidden [test:reject]' } });
  const slow = await createTask(testClient, { input: { prompt: 'A glacier [test:slow]' } });
  await admin.post(`/admin/tasks/${slow}/cancel`);
  await client.final(hostile);
  await testClient.final(failed);
  await seedFailedRefund(service);
  const codes = { amount: 500, mode: 'live', count: 3, note: 'Workshop in May' };
  await admin.post('/admin/redemption-codes', codes);
  return { failed, hostile };
}

/** A task of an account that is closed before the task ends cannot be refunded. */
async function seedFailedRefund({ account, admin }: TestService): Promise<void> {
  const { id, client } = await account({ test: 100, mode: 'test', name: 'Former customer' });
  const { body } = await client.create({
    model: 'vidgen-2-0-mini',
    input: { prompt: 'A long walk [test:slow]', resolution: '480p', duration: 4 },
  });
  await admin.post(`/admin/accounts/${id}/close`);
  const { body: task } = await admin.post(`/admin/tasks/${body.taskId as string}/cancel`);
  assert.equal((task as AdminTask).billing_status, 'refund_failed');
}
