/** Which request gets the next slot, as a table, and how slots are granted and released. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  nextEvicted,
  nextInLine,
  RenderSlots,
  type SlotGrant,
  type SlotRequest,
  waitingMax,
} from './render-slots.ts';

/** `a5`: account a, size 5; then the task id and flags. */
function slotRequest(text: string): SlotRequest {
  const [name = '', ...marks] = text.split(' ');
  const [, accountId = '', size = '', taskId = ''] = /^([a-z]+)(\d+)([#\w]*)$/.exec(name) ?? [];
  return {
    accountId,
    taskId: taskId === '' ? name : taskId,
    size: Number(size),
    isTest: marks.includes('test'),
    isLarge: marks.includes('4k'),
  };
}

type Row = {
  readonly slots?: number;
  readonly active?: readonly string[];
  /** Accounts, the one whose last slot is longest ago first. */
  readonly grantOrder?: readonly string[];
  readonly waiting: readonly string[];
  readonly next: string | null;
};

const table: Readonly<Record<string, Row>> = {
  'null when nothing waits': { waiting: [], next: null },
  'null when every slot is taken': { active: ['a1', 'b1'], waiting: ['c1'], next: null },
  'the shortest of an account first': { waiting: ['a9', 'a2', 'a5'], next: 'a2' },
  'of equal sizes the one created first': { waiting: ['a2#2', 'a2#1', 'a2#3'], next: 'a2#1' },
  'an account without a slot before one with a slot, however short': {
    active: ['a9'],
    waiting: ['a1', 'b9'],
    next: 'b9',
  },
  'an account with one slot before one with two': {
    slots: 4,
    active: ['a9', 'a9', 'b9'],
    waiting: ['a1', 'b9'],
    next: 'b9',
  },
  'the account whose last slot is longest ago': {
    grantOrder: ['b', 'a'],
    waiting: ['a1', 'b9'],
    next: 'b9',
  },
  'an account that never had a slot': { grantOrder: ['a'], waiting: ['a1', 'c9'], next: 'c9' },
  'slots held count more than turns': {
    grantOrder: ['b', 'a'],
    active: ['b9'],
    waiting: ['a9', 'b1'],
    next: 'a9',
  },
  'a test key while half of the slots is free': {
    slots: 4,
    active: ['a1 test'],
    waiting: ['b1 test'],
    next: 'b1 test',
  },
  'no test key when test keys have half of the slots': {
    slots: 4,
    active: ['a1 test', 'b1 test'],
    waiting: ['c1 test', 'd9'],
    next: 'd9',
  },
  'null for a test key then, although a slot is free': {
    slots: 4,
    active: ['a1 test', 'b1 test'],
    waiting: ['c1 test'],
    next: null,
  },
  'a test key when there is one slot': { slots: 1, waiting: ['a1 test'], next: 'a1 test' },
  'one test key at a time with three slots': {
    slots: 3,
    active: ['a1 test'],
    waiting: ['b1 test'],
    next: null,
  },
  'one 4k render at a time, and others before it': {
    slots: 4,
    active: ['a9 4k'],
    waiting: ['b1 4k', 'c9'],
    next: 'c9',
  },
  'a 4k render when none is active': { active: ['a9'], waiting: ['b1 4k'], next: 'b1 4k' },
};

for (const [rule, { slots = 2, active = [], grantOrder = [], waiting, next }] of Object.entries(
  table,
)) {
  test(`grants next: ${rule}`, () => {
    const lastGrants = new Map(grantOrder.map((accountId, index) => [accountId, index + 1]));
    const state = { slots, active: active.map(slotRequest), lastGrants };
    const expected = next === null ? null : slotRequest(next);
    // The order of arrival does not matter.
    for (const order of [waiting, waiting.toReversed()]) {
      assert.deepEqual(nextInLine(order.map(slotRequest), state), expected);
    }
  });
}

test('drops the longest request of the account with the most waiting', () => {
  const evicted = (...waiting: string[]) => nextEvicted(waiting.map(slotRequest));
  assert.deepEqual(evicted('a1', 'a9', 'a5', 'b99'), slotRequest('a9'));
  assert.deepEqual(evicted('a1', 'b5', 'c3'), slotRequest('b5'));
  assert.deepEqual(evicted('a1#1', 'a1#2'), slotRequest('a1#2'));
  assert.equal(evicted(), null);
});

const signal = new AbortController().signal;
const atOnce = { waitMs: 0, signal };

function releaseOf(grant: SlotGrant): () => void {
  assert(grant.outcome === 'granted', grant.outcome);
  return grant.release;
}

describe('slots', () => {
  test('are granted up to their number', async () => {
    const slots = new RenderSlots(2);
    const first = await slots.acquire(slotRequest('a1'), atOnce);
    releaseOf(await slots.acquire(slotRequest('b1'), atOnce));
    assert.equal((await slots.acquire(slotRequest('c1'), atOnce)).outcome, 'timed_out');
    releaseOf(first)();
    releaseOf(await slots.acquire(slotRequest('c1'), atOnce));
  });

  test('count once when they are released twice', async () => {
    const slots = new RenderSlots(1);
    const release = releaseOf(await slots.acquire(slotRequest('a1'), atOnce));
    release();
    release();
    releaseOf(await slots.acquire(slotRequest('b1'), atOnce));
    assert.equal((await slots.acquire(slotRequest('c1'), atOnce)).outcome, 'timed_out');
  });

  test('are not granted to a request that stopped waiting', async () => {
    const slots = new RenderSlots(1);
    const release = releaseOf(await slots.acquire(slotRequest('a1'), atOnce));
    const stop = new AbortController();
    const waiting = slots.acquire(slotRequest('b1'), { signal: stop.signal });
    stop.abort();
    assert.equal((await waiting).outcome, 'timed_out');
    assert.equal(
      (await slots.acquire(slotRequest('b1'), { signal: stop.signal })).outcome,
      'timed_out',
    );
    release();
    releaseOf(await slots.acquire(slotRequest('c1'), atOnce));
  });

  test('are granted in turn although one account has twenty long renders', async () => {
    const slots = new RenderSlots(1);
    const served: string[] = [];
    const serve = async (text: string): Promise<void> => {
      const release = releaseOf(await slots.acquire(slotRequest(text), { signal }));
      served.push(text);
      // While this works, the others are already waiting.
      await new Promise((resolve) => setImmediate(resolve));
      release();
    };
    const many = Array.from({ length: 20 }, (_, index) => `a${300 - index}`);
    await Promise.all([...many, 'b7', 'b5', 'c400'].map(serve));
    // The first found all slots free; then accounts take turns, the shortest of each first.
    const expected = ['a300', 'b5', 'c400', 'a281', 'b7', 'a282', 'a283'];
    assert.deepEqual(served.slice(0, expected.length), expected);
    assert.equal(served.length, 23);
  });

  test('are denied when the queue is full, not necessarily to the latest request', async () => {
    const slots = new RenderSlots(1);
    releaseOf(await slots.acquire(slotRequest('z1'), atOnce));
    const abort = new AbortController();
    const wait = { signal: abort.signal };
    const queued = Array.from({ length: waitingMax }, (_, index) =>
      slots.acquire(slotRequest(`a${100 + index}`), wait),
    );
    const late = slots.acquire(slotRequest('b999'), wait);
    assert.equal((await queued.at(-1))?.outcome, 'queue_full', 'the longest of the crowd');
    abort.abort();
    const outcomes = await Promise.all([...queued, late]);
    assert.equal(outcomes.filter(({ outcome }) => outcome === 'queue_full').length, 1);
  });
});
