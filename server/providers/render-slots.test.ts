import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSlots } from './render-slots.ts';

const signal = new AbortController().signal;
const never = { waitMs: 60_000, signal };
const atOnce = { waitMs: 0, signal };

test('gives out as many places as there are', async () => {
  const slots = createSlots(2);
  const first = await slots.take(atOnce);
  assert.ok(first && (await slots.take(atOnce)));
  assert.equal(await slots.take(atOnce), null);
  first();
  assert.ok(await slots.take(atOnce));
});

test('a place goes to who has waited longest', async () => {
  const slots = createSlots(1);
  const release = await slots.take(never);
  const order: string[] = [];
  const waiters = ['first', 'second'].map(async (name) => {
    const done = await slots.take(never);
    order.push(name);
    done?.();
  });
  release?.();
  await Promise.all(waiters);
  assert.deepEqual(order, ['first', 'second']);
});

test('giving a place back twice frees one place', async () => {
  const slots = createSlots(1);
  const release = await slots.take(atOnce);
  release?.();
  release?.();
  assert.ok(await slots.take(atOnce));
  assert.equal(await slots.take(atOnce), null);
});

test('who stops waiting takes no place', async () => {
  const slots = createSlots(1);
  const release = await slots.take(atOnce);
  const stop = new AbortController();
  const waiting = slots.take({ waitMs: 60_000, signal: stop.signal });
  stop.abort();
  assert.equal(await waiting, null);
  release?.();
  assert.ok(await slots.take(atOnce));
});
