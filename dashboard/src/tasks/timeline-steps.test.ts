/** The timeline of a task has every step that happened, in order, and no others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AdminTaskDetail } from '@vidgen/contract/admin-tasks.ts';
import { stepsOf } from './timeline-steps.ts';

const attempt = {
  provider: null,
  outcome: null,
  detail: null,
  started_at: 102,
  accepted_at: 103,
  ended_at: null,
};
const task = (part: object): AdminTaskDetail =>
  ({
    created_at: 100,
    credits: 40,
    key: { id: 'key_1', name: 'shop', last_four: 'abcd' },
    created_by: null,
    attempts: [],
    entries: [],
    delivery: null,
    callback_url: null,
    status: 'queued',
    progress: null,
    finished_at: null,
    failed_reason: null,
    ...part,
  }) as unknown as AdminTaskDetail;

const refund = [{ kind: 'refund', amount: 40, created_at: 105 }];
const ended = (outcome: string) => [{ ...attempt, outcome, ended_at: 105 }];
const start = ['Created: done', 'Reserved: done'];
const sent = [...start, 'Sent: done', 'Accepted: done'];

const timelines: Readonly<Record<string, readonly [part: object, steps: readonly string[]]>> = {
  'a new task': [{}, [...start, 'Queued: running']],
  'a running task and its upcoming webhook': [
    {
      status: 'generating',
      attempts: [attempt],
      callback_url: 'https://example.com/hook',
    },
    [...sent, 'Generating: running', 'Webhook: upcoming'],
  ],
  'a failed task, with the refund': [
    {
      status: 'failed',
      failed_reason: 'provider_failed',
      finished_at: 105,
      attempts: ended('failed'),
      entries: refund,
    },
    [...sent, 'Attempt failed: failed', 'Failed: failed', 'Refunded: done'],
  ],
  'a cancelled task, neutrally': [
    {
      status: 'failed',
      failed_reason: 'cancelled',
      finished_at: 105,
      attempts: ended('cancelled'),
      entries: refund,
    },
    [...sent, 'Attempt canceled: cancelled', 'Canceled: cancelled', 'Refunded: done'],
  ],
};

for (const [name, [part, steps]] of Object.entries(timelines)) {
  test(`shows ${name}`, () => {
    assert.deepEqual(
      stepsOf(task(part)).map(({ title, state }) => `${title}: ${state}`),
      steps,
    );
  });
}

test('names the key, or the person in the playground, and the progress', () => {
  assert.equal(stepsOf(task({}))[0]?.description, 'with key shop');
  const running = task({ created_by: 'ada@example.com', status: 'generating', progress: 0.416 });
  assert.equal(stepsOf(running)[0]?.description, 'by ada@example.com in the playground');
  assert.equal(stepsOf(running)[2]?.description, '42 %');
});

test('ends a completed task with its charge and its webhook attempts, each with its time', () => {
  const completed = task({
    status: 'completed',
    finished_at: 110,
    attempts: [{ ...attempt, outcome: 'completed', ended_at: 110 }],
    entries: [
      { kind: 'charge', amount: 40, created_at: 110 },
      { kind: 'reserve', amount: 40, created_at: 100 },
    ],
    delivery: {
      attempts: [
        { number: 2, answer_status: 200, error: null, duration_ms: 12, started_at: 116 },
        { number: 1, answer_status: 500, error: null, duration_ms: 9, started_at: 111 },
      ],
      next_attempt_at: null,
    },
  });
  assert.deepEqual(
    stepsOf(completed).map(({ title, sinceSeconds }) => `${title} ${sinceSeconds}`),
    [
      ...['Created null', 'Reserved 0', 'Sent 2', 'Accepted 1', 'Completed 7', 'Charged 0'],
      ...['Webhook failed 1', 'Webhook delivered 5'],
    ],
  );
});
