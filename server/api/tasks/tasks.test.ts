/** Tasks, failed refunds and invariant checks over HTTP. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AuditResponse } from '@vidgen/contract/admin-audit.ts';
import {
  AdminTask,
  AdminTaskDetail,
  ListAccountTasksResponse,
} from '@vidgen/contract/admin-tasks.ts';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { balanceOf, createTask, useJourney } from '../../../proof/kit/journey.ts';
import { pluck } from '../../../proof/kit/pluck.ts';

const later = { outcome: 'pending', pollAfterSeconds: 600 } as const;
const journey = await useJourney({
  script: ({ generation: { prompt } }) =>
    prompt === 'stoppable'
      ? { status: [later], cancel: ['stopped'] }
      : { status: [prompt === 'completed' ? 'completed' : later], cancel: ['running'] },
});
const post = journey.service.admin.post;

const noIds = ['x', '%00', 'task_00000000000000000000000000', 'a'.repeat(300)];
const get = async (path: string) => (await journey.service.admin.get(path)).body;

/** The queue for manual handling. */
const waiting = async (accountId: string) =>
  ListAccountTasksResponse.parse(
    await get(`/admin/accounts/${accountId}/tasks?refund=waiting`),
  ).items.map(({ id }) => id);

async function startTask(prompt: string) {
  const { account, taskId: id, reach } = await createTask(journey.service, { input: { prompt } });
  await reach(prompt === 'completed' ? 'completed' : 'generating');
  return { account, id };
}

/** A task whose refund could not be booked: it failed while its account was closed. */
async function unbooked() {
  const { account, id } = await startTask('stoppable');
  await post(`/admin/accounts/${account.id}/close`);
  const { body } = await post(`/admin/tasks/${id}/cancel`);
  assert.equal(AdminTask.parse(body).billing_status, 'refund_failed');
  return { account, id };
}

const openRefundNotices = async (accountId: string) =>
  (
    await journey.service.db.query(
      `select from notices where kind = 'refund_waiting' and account_id = $1
         and resolved_at is null`,
      [accountId],
    )
  ).rowCount;

describe('tasks', () => {
  test('returns one with its attempts, and a list with all contract fields', async () => {
    const { account, id } = await startTask('completed');
    const task = AdminTaskDetail.parse(await get(`/admin/tasks/${id}`));
    assert.deepEqual([task.account_id, task.mode, task.status], [account.id, 'live', 'completed']);
    assert.deepEqual(pluck(task.attempts, 'number', 'outcome'), [[1, 'completed']]);
    const list = await get(`/admin/accounts/${account.id}/tasks`);
    const [listed] = ListAccountTasksResponse.parse(list).items;
    for (const [field, value] of Object.entries(await account.client.task(id))) {
      assert.deepEqual(listed![field as keyof AdminTask], value, field);
    }
    for (const one of noIds) {
      assertApiError(await journey.service.admin.get(`/admin/tasks/${one}`), 'not_found');
    }
  });

  test('cancel follows the customer’s rules and is logged only on success', async () => {
    const { id } = await startTask('stoppable');
    const { status, body } = await post(`/admin/tasks/${id}/cancel`);
    assert.equal(status, 200);
    const task = AdminTask.parse(body);
    assert.deepEqual([task.failed_reason, task.billing_status], ['cancelled', 'refunded']);
    assert.deepEqual(pluck(await journey.service.auditLog(id), 'action', 'actor'), [
      ['task.cancel', 'admin token'],
    ]);
    assertApiError(await post(`/admin/tasks/${id}/cancel`), 'invalid_request');
    const unstoppable = await startTask('unstoppable');
    assertApiError(
      await post(`/admin/tasks/${unstoppable.id}/cancel`),
      'invalid_request',
      /already generating at a provider that cannot stop it/,
    );
    assert.deepEqual(await journey.service.auditLog(unstoppable.id), []);
    assert.equal((await journey.service.auditLog(id)).length, 1);
    for (const one of noIds) assertApiError(await post(`/admin/tasks/${one}/cancel`), 'not_found');
  });
});

describe('settle-refund', () => {
  test('refunded: the credits are available once, in a closed account too', async () => {
    const { account, id } = await unbooked();
    assert.deepEqual(await waiting(account.id), [id]);
    const before = await balanceOf(journey.service, account.id);
    assert.deepEqual(before.live, { available: 95, reserved: 0, suspended: 5 });
    const settle = () =>
      post(`/admin/tasks/${id}/settle-refund`, { outcome: 'refunded', note: 'By phone' });
    const responses = await Promise.all([settle(), settle(), settle()]);
    assert.equal(responses.filter(({ status }) => status === 200).length, 1);
    for (const response of responses.filter(({ status }) => status !== 200)) {
      assertApiError(response, 'invalid_request');
    }
    const settled = AdminTask.parse(await get(`/admin/tasks/${id}`));
    assert.deepEqual([settled.billing_status, settled.refund_outcome], ['refunded', 'refunded']);
    assert.deepEqual((await balanceOf(journey.service, account.id)).live, {
      available: 100,
      reserved: 0,
      suspended: 0,
    });
    assert.deepEqual(await waiting(account.id), []);
    const action = (await journey.service.auditLog(id)).find(
      (one) => one.action === 'refund.settle',
    );
    assert.deepEqual(action?.detail, { outcome: 'refunded', note: 'By phone', credits: 5 });
    await journey.service.assertInvariants();
  });

  test('written off: still refund_failed and suspended, but no longer pending', async () => {
    const { account, id } = await unbooked();
    const path = `/admin/tasks/${id}/settle-refund`;
    assert.deepEqual(await waiting(account.id), [id]);
    assert.equal(await openRefundNotices(account.id), 1);
    const response = await post(path, { outcome: 'written_off', note: 'Abuse' });
    assert.equal(await openRefundNotices(account.id), 0);
    assert.equal(response.status, 200);
    const task = AdminTask.parse(response.body);
    assert.deepEqual([task.billing_status, task.refund_outcome], ['refund_failed', 'written_off']);
    assert.equal((await balanceOf(journey.service, account.id)).live.suspended, 5);
    assert.deepEqual(await waiting(account.id), []);
    const again = await post(path, { outcome: 'refunded', note: 'x' });
    assertApiError(
      again,
      'invalid_request',
      `The refund for ${id} was already settled as written_off.`,
    );
    await journey.service.assertInvariants();
  });

  test('rejects a task without a failed refund, an unknown outcome, an unknown task', async () => {
    const { id } = await startTask('completed');
    const path = `/admin/tasks/${id}/settle-refund`;
    assertApiError(
      await post(path, { outcome: 'refunded', note: 'x' }),
      'invalid_request',
      `Task ${id} is charged; only failed refunds can be settled.`,
    );
    const bad: [unknown, RegExp][] = [
      [undefined, /^the body must be a JSON object \(got nothing\)$/],
      [{ outcome: 'refund', note: 'x' }, /^outcome must be one of refunded, written_off/],
      [{ outcome: 'refunded', note: '' }, /^note must not be empty/],
    ];
    for (const [body, rule] of bad) assertApiError(await post(path, body), 'invalid_request', rule);
    for (const one of noIds) {
      const body = { outcome: 'refunded', note: 'x' };
      assertApiError(await post(`/admin/tasks/${one}/settle-refund`, body), 'not_found');
    }
  });
});

test('the audit recomputes the five invariants', async () => {
  const { ok, checks } = AuditResponse.parse(await get('/admin/audit'));
  assert.equal(ok, true);
  assert.equal(checks.length, 5);
});
