/** The timeline of a task has every step that happened, in order, and no others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AdminTaskDetail } from '@vidgen/contract/admin-tasks.ts';
import { stepsOf } from './timeline-steps.ts';

const attempt = {
  number: 1,
  provider: null,
  operation: null,
  outcome: null,
  detail: null,
  loss: null,
  output_seconds: null,
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

const titlesAndStates = (detail: AdminTaskDetail) =>
  stepsOf(detail).map(({ title, state }) => [title, state]);

test('shows a new task as queued', () => {
  assert.deepEqual(titlesAndStates(task({})), [
    ['Created', 'done'],
    ['Reserved', 'done'],
    ['Queued', 'running'],
  ]);
});

test('names the key, or the person in the playground, that created the task', () => {
  assert.equal(stepsOf(task({}))[0]?.description, 'with key shop');
  const personTask = task({ created_by: 'ada@example.com' });
  assert.equal(stepsOf(personTask)[0]?.description, 'by ada@example.com in the playground');
});

test('shows the progress of a running task and its upcoming webhook', () => {
  const running = task({
    status: 'generating',
    progress: 0.416,
    attempts: [attempt],
    callback_url: 'https://example.com/hook',
  });
  assert.deepEqual(titlesAndStates(running).slice(2), [
    ['Sent', 'done'],
    ['Accepted', 'done'],
    ['Generating', 'running'],
    ['Webhook', 'upcoming'],
  ]);
  assert.equal(stepsOf(running)[4]?.description, '42 %');
});

test('ends a completed task with its charge and its webhook attempts, each with its time', () => {
  const steps = stepsOf(
    task({
      status: 'completed',
      finished_at: 110,
      attempts: [{ ...attempt, outcome: 'completed', ended_at: 110 }],
      entries: [
        { kind: 'charge', amount: 40, created_at: 110 },
        { kind: 'reserve', amount: 40, created_at: 100 },
      ],
      callback_url: 'https://example.com/hook',
      delivery: {
        attempts: [
          { number: 2, answer_status: 200, error: null, duration_ms: 12, started_at: 116 },
          { number: 1, answer_status: 500, error: null, duration_ms: 9, started_at: 111 },
        ],
        next_attempt_at: null,
      },
    }),
  );
  assert.deepEqual(
    steps.map(({ title, sinceSeconds }) => [title, sinceSeconds]),
    [
      ['Created', null],
      ['Reserved', 0],
      ['Sent', 2],
      ['Accepted', 1],
      ['Completed', 7],
      ['Charged', 0],
      ['Webhook failed', 1],
      ['Webhook delivered', 5],
    ],
  );
});

test('shows the failed attempt and the refund of a failed task', () => {
  const failed = task({
    status: 'failed',
    failed_reason: 'provider_failed',
    finished_at: 105,
    attempts: [{ ...attempt, outcome: 'failed', ended_at: 105 }],
    entries: [{ kind: 'refund', amount: 40, created_at: 105 }],
  });
  assert.deepEqual(titlesAndStates(failed).slice(4), [
    ['Attempt failed', 'failed'],
    ['Failed', 'failed'],
    ['Refunded', 'done'],
  ]);
});

test('ends a cancelled task with a neutral step', () => {
  const cancelled = task({
    status: 'failed',
    failed_reason: 'cancelled',
    finished_at: 105,
    attempts: [{ ...attempt, outcome: 'cancelled', ended_at: 105 }],
    entries: [{ kind: 'refund', amount: 40, created_at: 105 }],
  });
  assert.deepEqual(titlesAndStates(cancelled).slice(4), [
    ['Attempt canceled', 'cancelled'],
    ['Canceled', 'cancelled'],
    ['Refunded', 'done'],
  ]);
});
