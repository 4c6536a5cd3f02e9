/** Many reads share the pages of a list, and nothing is concluded from a page alone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReadResult } from './client.ts';
import { ListedReads } from './listed-reads.ts';

const turn = { signal: new AbortController().signal, ageSeconds: 0, isLast: false };
const response = (json: unknown): ReadResult => ({
  kind: 'response',
  status: 200,
  headers: {},
  json,
});
const namesOf = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => `op-${from + at}`);

/** An upstream with 300 operations in pages of 100, on which the first 10 are not whole. */
function openReads({ isListed = true } = {}) {
  const gets: string[] = [];
  let pages = 0;
  const release = Promise.withResolvers<void>();
  const reads = new ListedReads({
    async get(operation) {
      gets.push(operation);
      await release.promise;
      return response('read');
    },
    async readPage(cursor = '0') {
      pages += 1;
      const from = Number(cursor);
      const names = namesOf(Math.max(10, from), from + 100);
      const whole = new Map(names.map((name) => [name, response('listed')]));
      const next = from < 200 ? String(from + 100) : undefined;
      return isListed ? { whole, cursor: next } : null;
    },
  });
  return { reads, gets, release, pages: () => pages };
}

test('reads a few one by one, and the others with the pages of a list', async () => {
  const { reads, gets, release, pages } = openReads();
  const few = namesOf(0, 20).map((name) => reads.read(name, turn));
  const many = namesOf(20, 300).map((name) => reads.read(name, turn));
  const last = reads.read('op-250', { ...turn, isLast: true });
  for (const result of await Promise.all(many)) assert.deepEqual(result, response('listed'));
  // The first to wait gets a page at once, the others three.
  assert.deepEqual([gets.length, pages()], [21, 4]);
  release.resolve();
  for (const result of await Promise.all([...few, last])) {
    assert.deepEqual(result, response('read'));
  }
});

test('reads what is not whole, or not in the list, by itself', async () => {
  for (const isListed of [true, false]) {
    const { reads, gets, release } = openReads({ isListed });
    const first = namesOf(20, 40).map((name) => reads.read(name, turn));
    const ended = ['op-3', 'op-999'].map((name) => reads.read(name, turn));
    release.resolve();
    await Promise.all(first);
    assert.deepEqual(await Promise.all(ended), [response('read'), response('read')]);
    assert.deepEqual(gets.slice(-2), ['op-3', 'op-999']);
  }
});
