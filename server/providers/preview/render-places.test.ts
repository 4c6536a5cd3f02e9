/** Who gets the next place: the order as a table, then places given and given back. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type Claimant,
  chooseNext,
  chooseToLeave,
  RenderPlaces,
  type Seat,
  testPlacesMax,
  waitingMax,
} from './render-places.ts';

/** `a5`: of account a, of size 5; then its task's id, and what it is besides. */
function claimant(words: string): Claimant {
  const [name = '', ...marks] = words.split(' ');
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
  readonly places?: number;
  readonly seated?: readonly string[];
  /** Accounts, who had a place longest ago first. */
  readonly turns?: readonly string[];
  readonly waiting: readonly string[];
  readonly next: string | null;
};

const table: Readonly<Record<string, Row>> = {
  'nobody waits': { waiting: [], next: null },
  'every place is taken': { seated: ['a1', 'b1'], waiting: ['c1'], next: null },
  'the shortest of an account first': { waiting: ['a9', 'a2', 'a5'], next: 'a2' },
  'of equals the one created first': { waiting: ['a2#2', 'a2#1', 'a2#3'], next: 'a2#1' },
  'who has no place before who has one, however short': {
    seated: ['a9'],
    waiting: ['a1', 'b9'],
    next: 'b9',
  },
  'who has one before who has two': {
    places: 4,
    seated: ['a9', 'a9', 'b9'],
    waiting: ['a1', 'b9'],
    next: 'b9',
  },
  'who had one longest ago before who had one just now': {
    turns: ['b', 'a'],
    waiting: ['a1', 'b9'],
    next: 'b9',
  },
  'who never had one before who had': { turns: ['a'], waiting: ['a1', 'c9'], next: 'c9' },
  'places held count for more than turns': {
    turns: ['b', 'a'],
    seated: ['b9'],
    waiting: ['a9', 'b1'],
    next: 'a9',
  },
  'a test key while its half is free': {
    places: 4,
    seated: ['a1 test'],
    waiting: ['b1 test'],
    next: 'b1 test',
  },
  'no test key when its half is taken': {
    places: 4,
    seated: ['a1 test', 'b1 test'],
    waiting: ['c1 test', 'd9'],
    next: 'd9',
  },
  'none at all then, though a place is free': {
    places: 4,
    seated: ['a1 test', 'b1 test'],
    waiting: ['c1 test'],
    next: null,
  },
  'a test key where there is one place': { places: 1, waiting: ['a1 test'], next: 'a1 test' },
  'one test key at a time of three places': {
    places: 3,
    seated: ['a1 test'],
    waiting: ['b1 test'],
    next: null,
  },
  'one in 4k at a time, and others pass it by': {
    places: 4,
    seated: ['a9 4k'],
    waiting: ['b1 4k', 'c9'],
    next: 'c9',
  },
  'one in 4k when there is none': { seated: ['a9'], waiting: ['b1 4k'], next: 'b1 4k' },
};

for (const [promise, { places = 2, seated = [], turns = [], waiting, next }] of Object.entries(
  table,
)) {
  test(`next: ${promise}`, () => {
    const lastTurns = new Map(turns.map((accountId, index) => [accountId, index + 1]));
    const seating = { places, seated: seated.map(claimant), lastTurns };
    const expected = next === null ? null : claimant(next);
    // Whoever asked first: the order of arrival decides nothing.
    for (const order of [waiting, waiting.toReversed()]) {
      assert.deepEqual(chooseNext(order.map(claimant), seating), expected);
    }
  });
}

test('test keys have half of the places, and one where that is none', () => {
  assert.deepEqual([1, 2, 3, 4, 5, 64].map(testPlacesMax), [1, 1, 1, 2, 2, 32]);
});

test('who has the most waiting sends its longest away', () => {
  const leaver = (...waiting: string[]) => chooseToLeave(waiting.map(claimant));
  assert.deepEqual(leaver('a1', 'a9', 'a5', 'b99'), claimant('a9'));
  assert.deepEqual(leaver('a1', 'b5', 'c3'), claimant('b5'));
  assert.deepEqual(leaver('a1#1', 'a1#2'), claimant('a1#2'));
  assert.equal(leaver(), null);
});

const signal = new AbortController().signal;
const atOnce = { waitMs: 0, signal };

function releaseOf(seat: Seat): () => void {
  assert(seat.outcome === 'seated', seat.outcome);
  return seat.release;
}

describe('places', () => {
  test('are as many as there are', async () => {
    const places = new RenderPlaces(2);
    const first = await places.take(claimant('a1'), atOnce);
    releaseOf(await places.take(claimant('b1'), atOnce));
    assert.equal((await places.take(claimant('c1'), atOnce)).outcome, 'waited');
    releaseOf(first)();
    releaseOf(await places.take(claimant('c1'), atOnce));
  });

  test('given back twice are one place', async () => {
    const places = new RenderPlaces(1);
    const release = releaseOf(await places.take(claimant('a1'), atOnce));
    release();
    release();
    releaseOf(await places.take(claimant('b1'), atOnce));
    assert.equal((await places.take(claimant('c1'), atOnce)).outcome, 'waited');
  });

  test('are not given to who stopped waiting', async () => {
    const places = new RenderPlaces(1);
    const release = releaseOf(await places.take(claimant('a1'), atOnce));
    const stop = new AbortController();
    const waiting = places.take(claimant('b1'), { signal: stop.signal });
    stop.abort();
    assert.equal((await waiting).outcome, 'waited');
    assert.equal((await places.take(claimant('b1'), { signal: stop.signal })).outcome, 'waited');
    release();
    releaseOf(await places.take(claimant('c1'), atOnce));
  });

  test('go round: twenty long clips of one account do not keep out another', async () => {
    const places = new RenderPlaces(1);
    const served: string[] = [];
    const serve = async (words: string): Promise<void> => {
      const release = releaseOf(await places.take(claimant(words), { signal }));
      served.push(words);
      // A moment of work, in which the others are already waiting.
      await new Promise((resolve) => setImmediate(resolve));
      release();
    };
    const many = Array.from({ length: 20 }, (_, index) => `a${300 - index}`);
    await Promise.all([...many, 'b7', 'b5', 'c400'].map(serve));
    // The first found everything empty; from then on accounts take turns, each its shortest.
    const expected = ['a300', 'b5', 'c400', 'a281', 'b7', 'a282', 'a283'];
    assert.deepEqual(served.slice(0, expected.length), expected);
    assert.equal(served.length, 23);
  });

  test('send away whom there is no room for, and not the one who came last', async () => {
    const places = new RenderPlaces(1);
    releaseOf(await places.take(claimant('z1'), atOnce));
    const gone = new AbortController();
    const patience = { signal: gone.signal };
    const crowd = Array.from({ length: waitingMax }, (_, index) =>
      places.take(claimant(`a${100 + index}`), patience),
    );
    const late = places.take(claimant('b999'), patience);
    assert.equal((await crowd.at(-1))?.outcome, 'crowded', 'the longest of the crowd');
    gone.abort();
    const outcomes = await Promise.all([...crowd, late]);
    assert.equal(outcomes.filter(({ outcome }) => outcome === 'crowded').length, 1);
  });
});
