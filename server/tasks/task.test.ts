/** IDs, status changes compared with the database's trigger, and the contract views. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { billingStatuses, failedReasons, taskStatuses } from '@vidgen/contract/task-status.ts';
import { useDatabase } from '../../proof/kit/scratch-database.ts';
import { createOf, generationOf, seedAccount } from '../../proof/kit/seed.ts';
import { createAcceptTask } from '../lifecycle/accept.ts';
import { requestDigest } from './idempotency.ts';
import { eraseRequestsStatement } from './retention.ts';
import { nextStatuses, type Task, type TaskState } from './task.ts';
import { createdAtOf, isTaskId, newTaskId } from './task-id.ts';
import { taskStatusView, webhookPayload } from './view.ts';

const { db } = await useDatabase();

test('creates IDs of the specified form that differ and sort by creation', () => {
  const ids = Array.from({ length: 1000 }, newTaskId);
  assert.ok(ids.every(isTaskId));
  assert.equal(new Set(ids).size, ids.length);
  const milliseconds = ids.map((id) => id.slice(5, 15));
  assert.deepEqual(milliseconds, milliseconds.toSorted());
  for (const at of [0, 1_767_268_800_123, 2 ** 48 - 1]) {
    assert.equal(createdAtOf(newTaskId(at)).getTime(), at);
  }
  for (const invalid of [
    '',
    'task_',
    `${ids[0]}x`,
    ids[0]!.toUpperCase(),
    `task_8${'0'.repeat(25)}`,
  ]) {
    assert.equal(isTaskId(invalid), false, invalid);
  }
});

/** How to bring a row from `queued` to each status that the constraints allow. */
const states = {
  queued: [],
  generating: [`status = 'generating'`],
  completed: [
    `status = 'generating'`,
    `status = 'completed', billing_status = 'charged', finished_at = now(), result = '{}',
     expires_at = now()`,
  ],
  failed: [
    `status = 'failed', billing_status = 'refunded', finished_at = now(),
     failed_reason = 'provider_failed'`,
  ],
} as const;

for (const from of taskStatuses) {
  for (const to of taskStatuses.filter((status) => status !== from)) {
    const isAllowed = (nextStatuses[from] as readonly string[]).includes(to);
    test(`${isAllowed ? 'allows' : 'rejects'} ${from} → ${to} in the database`, async () => {
      const account = await seedAccount(db, { credits: 10 });
      const accepted = await createAcceptTask({ db })(createOf(account));
      assert.ok('taskId' in accepted);
      const set = (what: string) =>
        db.query(`update tasks set ${what} where id = $1`, [accepted.taskId]);
      for (const step of states[from]) await set(step);
      const last = states[to].at(-1) ?? `status = 'queued'`;
      if (isAllowed) await set(last);
      else
        await assert.rejects(set(last), ({ code }: { code: string }) =>
          /^(VG004|23514)$/.test(code),
        );
    });
  }
}

test('allows exactly the values of the contract in the database', async () => {
  const { rows } = await db.query<{ text: string }>(
    `select pg_get_constraintdef(oid) as text from pg_constraint
     where conrelid = 'tasks'::regclass and contype = 'c'`,
  );
  const constraints = rows.map(({ text }) => text).join('\n');
  for (const value of [...taskStatuses, ...billingStatuses, ...failedReasons]) {
    assert.ok(constraints.includes(`'${value}'`), value);
  }
});

/** `request`: deleted with old prompts. `record`: deleted with the task. `kept`: never. */
const columns: Readonly<Record<'request' | 'record' | 'kept', readonly string[]>> = {
  request: ['generation', 'metadata', 'image_formats', 'created_by', 'dialect'],
  record: [
    ...['failed_reason', 'refused_part', 'refund_outcome', 'callback_url', 'request_id'],
    ...['deadline_at', 'submitted_at', 'expires_at', 'removed_at', 'result', 'progress'],
    'priced_seconds',
  ],
  kept: [
    ...['id', 'account_id', 'key_id', 'mode', 'model', 'status', 'billing_status', 'credits'],
    ...['created_at', 'finished_at'],
  ],
};

test('every column of a task is deleted with its prompt, with the task, or never', async () => {
  const columnsOf = async (table: string) => {
    const sql =
      'select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0';
    const { rows } = await db.query<{ name: string }>(sql, [table]);
    return rows.map(({ name }) => name);
  };
  const { request, record, kept } = columns;
  assert.deepEqual((await columnsOf('tasks')).sort(), [...request, ...record, ...kept].sort());
  const left = (await columnsOf('erased_tasks')).sort();
  assert.deepEqual(left, [...kept, 'resolution', 'erased_at'].sort());
  for (const name of request) assert.match(eraseRequestsStatement.text, new RegExp(`\\b${name} =`));
});

test('digests everything of a request that changes its result, in any order', () => {
  const digest = (changes: object = {}, extensions: object = {}) =>
    requestDigest({
      generation: generationOf(changes),
      callbackUrl: null,
      metadata: null,
      ...extensions,
    });
  const reversed = Object.fromEntries(Object.entries(generationOf()).reverse());
  const request = { callbackUrl: null, generation: reversed as Generation };
  assert.equal(requestDigest({ metadata: null, ...request }), digest());
  assert.equal(digest({ ignored: ['input.image_urls'] }), digest());
  const metadata = (...pairs: [string, string][]) => ({ metadata: Object.fromEntries(pairs) });
  const ab = metadata(['a', '1'], ['b', '2']);
  assert.equal(digest({}, ab), digest({}, metadata(['b', '2'], ['a', '1'])));
  const others = [
    ...[digest(), digest({ seed: 0 }), digest({ seed: 1 }), digest({}, ab)],
    ...[digest({}, { callbackUrl: 'https://a.example' }), digest({}, { later: { x: 1 } })],
  ];
  assert.equal(new Set(others).size, others.length);
});

const completed: Task = {
  pricedSeconds: null,
  imageFormats: [],
  dialect: null,
  id: newTaskId(),
  accountId: 'a',
  keyId: 'k',
  mode: 'live',
  status: 'completed',
  billingStatus: 'charged',
  failedReason: null,
  rejectedPart: null,
  model: 'vidgen-2-5',
  generation: generationOf(),
  callbackUrl: null,
  metadata: null,
  credits: 40,
  createdAt: new Date(1_700_000_000_900),
  deadlineAt: new Date(1_700_003_600_000),
  submittedAt: new Date(1_700_000_002_000),
  finishedAt: new Date(1_700_000_012_400),
  result: { video: 'v', lastFrame: 'f' },
  expiresAt: new Date(1_700_086_412_400),
  expired: false,
  secondsLeft: 1,
  progress: 1,
  refundOutcome: null,
  requestId: null,
  createdBy: null,
};
const resultUrl = (_task: TaskState, key: string) => `https://here/${key}`;

test('shows times in whole seconds, and counts processing from the first submission', () => {
  const { created_at, data } = taskStatusView(completed, resultUrl);
  assert.equal(created_at, 1_700_000_000);
  assert.equal(data?.processing_time, 10);
  assert.equal(data?.video_expires_at, '2023-11-15T22:13:32.400Z');
});

test('leaves an expired result out of the response, and keeps everything else', () => {
  const { data } = taskStatusView({ ...completed, expired: true }, resultUrl);
  assert.deepEqual([data?.results, data?.last_frame_url], [[], null]);
});

test('reports 0 refunded credits in the webhook when the refund could not be booked', () => {
  const failed: Task = {
    ...completed,
    status: 'failed',
    failedReason: 'timed_out',
    billingStatus: 'refund_failed',
    result: null,
    expiresAt: null,
  };
  assert.deepEqual(webhookPayload(failed, resultUrl).data, {
    failed_reason: 'timed_out',
    credits_refunded: 0,
  });
});
