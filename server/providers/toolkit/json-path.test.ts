/** Reads a path in any response. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { jsonPathPattern, valueAt } from './json-path.ts';

test('reads names and indexes', () => {
  const json = { a: { b: [{ c: 1 }, [2, 3]] }, 'x-y': 4 };
  assert.equal(valueAt(json, 'a.b[0].c'), 1);
  assert.equal(valueAt(json, 'a.b[1][1]'), 3);
  assert.equal(valueAt(json, 'x-y'), 4);
  for (const path of ['a.c', 'a.b[2]', 'a.b.c', 'constructor', 'a.b.length.x']) {
    assert.equal(valueAt(json, path), undefined, path);
  }
});

test('distinguishes paths from other text', () => {
  for (const path of ['id', 'a.b', 'a[0].b[1][2]', 'x-y']) assert.match(path, jsonPathPattern);
  for (const path of ['', '.a', 'a.', 'a..b', 'a[', 'a[x]', '[0]', 'a b', '$.a', 'a[*]']) {
    assert.doesNotMatch(path, jsonPathPattern);
  }
});

test('never throws', () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => void valueAt(value, 'a.b[0].c')));
});
