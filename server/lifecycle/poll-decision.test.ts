/**
 * What follows each result of a poll, before, at and after the deadline of the task, and when the
 * next poll is made.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { StatusResult } from '../providers/provider.ts';
import { UsualTimes } from './poll/usual-times.ts';
import {
  decideFailure,
  decidePoll,
  decideUncollected,
  delayWithinDeadline,
  type Failure,
  nextPollDelaySeconds,
  type PollFacts,
  tookSeconds,
} from './poll-decision.ts';

const facts: PollFacts = {
  secondsLeft: { before: 600, now: 599 },
  isLeaseLost: false,
  generatesDuringPoll: false,
  usualSeconds: null,
  attempt: { collectFailures: 0, secondsSinceAccepted: 10, secondsSinceCancelUnconfirmed: null },
  retries: 0,
  random: 0,
};
const atDeadline = { secondsLeft: { before: -1, now: -2 } };
const passedMeanwhile = { secondsLeft: { before: 1, now: -1 } };
const longPast = { secondsLeft: { before: -60, now: -61 } };
const uncollected = { attempt: { ...facts.attempt, collectFailures: 1 } };
const canceled = { attempt: { ...facts.attempt, secondsSinceCancelUnconfirmed: 29 } };
const generating = { generatesDuringPoll: true };

const pending: StatusResult = { outcome: 'pending', pollAfterSeconds: 10 };
const unread: StatusResult = { ...pending, pollAfterSeconds: 3, isUnread: true };
const alerting: StatusResult = { ...pending, alert: 'an unknown status' };
const completed: StatusResult = { outcome: 'completed', video: { url: 'https://a.example/v' } };
const rejected: StatusResult = { outcome: 'failed', reason: 'rejected', detail: 'no' };
const lost: StatusResult = { outcome: 'lost', detail: 'gone' };

const pollAgain = (delaySeconds: number, retry = false, error?: string) => ({
  action: 'poll-again',
  next: { kind: 'poll', delaySeconds, retry, ...(error === undefined ? {} : { error }) },
});
const timeOut = { action: 'time-out' };
const stop = { action: 'stop' };

const polls: [why: string, Partial<PollFacts>, StatusResult, expected: object][] = [
  ['polls again as the provider asks', {}, pending, pollAgain(10)],
  ['counts an unknown status as a retry', {}, alerting, pollAgain(10, true)],
  ['polls often after an unconfirmed cancel', canceled, pending, pollAgain(1)],
  ['polls at the deadline once more', passedMeanwhile, pending, pollAgain(0.05)],
  ['times out at the deadline', atDeadline, pending, timeOut],
  [
    'times out a render that passed its deadline',
    { ...passedMeanwhile, ...generating },
    pending,
    timeOut,
  ],
  ['never times out by a poll that was not made', atDeadline, unread, pollAgain(3)],
  ['nor long after the deadline', longPast, unread, pollAgain(3)],
  [
    'fetches a finished video after the deadline',
    { ...atDeadline, ...uncollected },
    pending,
    pollAgain(1, true, 'not fetched yet'),
  ],
  ['but not for longer than a minute', { ...longPast, ...uncollected }, pending, timeOut],
  ['collects a finished video', atDeadline, completed, { action: 'collect', status: completed }],
  [
    'fails as the provider says',
    {},
    rejected,
    { action: 'fail', failure: rejected, outcome: 'failed' },
  ],
  [
    'fails what the provider has lost',
    {},
    lost,
    { action: 'fail', failure: { ...lost, reason: 'failed' }, outcome: 'lost' },
  ],
];
for (const [why, changes, status, expected] of polls) {
  test(why, () => assert.deepEqual(decidePoll({ ...facts, ...changes }, status), expected));
}

test('stops without the lease, whatever the provider says', () => {
  const without = { ...facts, ...atDeadline, isLeaseLost: true };
  for (const status of [pending, unread, completed, rejected, lost]) {
    assert.deepEqual(decidePoll(without, status), stop);
  }
  const failure = {
    outcome: 'failed',
    isLocalFailure: false,
    detail: '',
    collectFailures: 9,
  } as const;
  assert.deepEqual(decideUncollected({ ...without, wasPastDeadline: true }, failure), stop);
});

const failed: Failure = { reason: 'failed', detail: 'd' };
const fetches: [
  why: string,
  Partial<PollFacts>,
  collectFailures: number,
  isLocalFailure: boolean,
  expected: object,
][] = [
  ['retries a fetch', {}, 1, false, pollAgain(1, true, 'd')],
  ['gives up after eight', {}, 8, false, { action: 'fail', failure: failed, outcome: 'failed' }],
  ['never gives up for our own disk', {}, 9, true, pollAgain(1, true, 'd')],
  ['retries within a minute of the deadline', atDeadline, 1, false, pollAgain(1, true, 'd')],
  ['then times out', longPast, 1, true, timeOut],
];
for (const [why, changes, collectFailures, isLocalFailure, expected] of fetches) {
  test(`${why} when a finished video cannot be fetched`, () => {
    const now = { ...facts, ...changes };
    const wasPastDeadline = now.secondsLeft.before <= 0;
    const failure = { outcome: 'failed', detail: 'd', isLocalFailure, collectFailures } as const;
    assert.deepEqual(decideUncollected({ ...now, wasPastDeadline }, failure), expected);
  });
}

const failures: [
  why: string,
  requested: number | null,
  unconfirmed: number | null,
  Partial<Failure>,
  expected: object,
][] = [
  ['fails', null, null, {}, { action: 'fail' }],
  [
    'fails over where nothing was billed',
    null,
    null,
    { canFailOver: true },
    { action: 'fail-over' },
  ],
  ['waits for a cancellation under way', 1, null, {}, pollAgain(5)],
  ['does not fail over meanwhile', 1, null, { canFailOver: true }, pollAgain(5)],
  ['is cancelled once the cancellation took too long', 299, null, {}, { action: 'cancelled' }],
  ['fails when the cancellation is long past', 301, null, {}, { action: 'fail' }],
  ['is cancelled after an unconfirmed one', null, 3000, {}, { action: 'cancelled' }],
  ['fails if the content was rejected', null, 3000, { reason: 'rejected' }, { action: 'fail' }],
];
for (const [
  why,
  secondsSinceCancelRequested,
  secondsSinceCancelUnconfirmed,
  changes,
  expected,
] of failures) {
  test(`a failed generation ${why}`, () => {
    const attempt = { secondsSinceCancelRequested, secondsSinceCancelUnconfirmed };
    assert.deepEqual(decideFailure(facts, { ...failed, ...changes }, attempt), expected);
  });
}

const ages: [ageSeconds: number, usualSeconds: number | null, seconds: number, why: string][] = [
  [0, null, 2, 'young, usual time not known: soon'],
  [30, null, 6, 'usual time not known: a fifth of its age later'],
  [1000, null, 15, 'old, usual time not known: never later than this'],
  [0, 5, 3.5, 'young: shortly before the usual end'],
  [4, 5, 2, 'near the usual end: soon'],
  [0, 200, 30, 'young: one that ends early is noticed within this time'],
  [150, 120, 8, 'near the usual end: a fifteenth of the usual time later'],
  [220, 120, 15, 'overdue: as where the usual time is not known'],
];
for (const [ageSeconds, usualSeconds, seconds, why] of ages) {
  test(`polls a task of ${ageSeconds} s, usually ${usualSeconds} s, after ${seconds} s`, () => {
    const status = { outcome: 'pending' } as const;
    const timing = { status, ageSeconds, usualSeconds, random: 0 };
    assert.equal(nextPollDelaySeconds(timing), seconds, why);
  });
}

test('polls when the provider asks for it, with a tenth of jitter except at its turn', () => {
  const old = { ageSeconds: 1000, usualSeconds: 10, random: 1 };
  const status = { outcome: 'pending', pollAfterSeconds: 4 } as const;
  assert.equal(nextPollDelaySeconds({ ...old, status }), 4.4);
  assert.equal(nextPollDelaySeconds({ ...old, status: { ...status, isUnread: true } }), 4);
});

test('a generation ended half an interval before the poll that noticed it', () => {
  assert.equal(tookSeconds({ ageSeconds: 6, usualSeconds: null }), 5);
  assert.equal(tookSeconds({ ageSeconds: 0.1, usualSeconds: null }), 0);
});

test('learns the usual time of each kind of generation from the newest', () => {
  const times = new UsualTimes();
  const generation = { model: 'vidgen-2-0', resolution: '720p', duration: 5 } as Generation;
  const kind = { provider: 'gpu', task: { generation, pricedSeconds: null } };
  const longer = { ...kind, task: { ...kind.task, pricedSeconds: 10 } };
  for (const seconds of [40, 42, 900]) times.record(kind, seconds);
  assert.equal(times.seconds(kind), 42);
  assert.equal(times.seconds(longer), null);
  for (let count = 0; count < 8; count++) times.record(kind, 20);
  assert.equal(times.seconds(kind), 20);
});

const clamped: [seconds: number, secondsLeft: number, delay: number, why: string][] = [
  [10, 60, 10, 'keeps a delay that leaves time for another poll'],
  [30, 25, 20, 'polls 5 s before the deadline instead of after it'],
  [30, 5, 5, 'polls once more at the deadline'],
  [1, 4, 1, 'keeps a short delay in the last seconds'],
  [30, -3, 0.05, 'polls at once when the deadline has passed'],
];
for (const [seconds, secondsLeft, delay, why] of clamped) {
  test(`${why} (${secondsLeft} s left)`, () => {
    assert.equal(delayWithinDeadline(seconds, secondsLeft), delay);
  });
}
