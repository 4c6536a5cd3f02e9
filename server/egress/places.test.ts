import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createPlaces } from './places.ts';

const never = new AbortController().signal;

test('gives no more places than there are, and hands them on in order', async () => {
  const places = createPlaces(2);
  const order: string[] = [];
  const take = async (who: string) => {
    const leave = await places.take('host', never);
    order.push(who);
    return leave;
  };
  const [first, second] = [await take('first'), await take('second')];
  const third = take('third');
  const fourth = take('fourth');
  await setImmediate();
  assert.deepEqual(order, ['first', 'second']);
  first();
  (await third)();
  (await fourth)();
  second();
  assert.deepEqual(order, ['first', 'second', 'third', 'fourth']);
});

test('counts each name alone', async () => {
  const places = createPlaces(1);
  await places.take('a', never);
  await places.take('b', never);
});

test('a place given back twice is one place', async () => {
  const places = createPlaces(1);
  const leave = await places.take('host', never);
  leave();
  leave();
  await places.take('host', never);
  const aborted = AbortSignal.abort(new Error('no place'));
  await assert.rejects(places.take('host', aborted), /no place/);
  const controller = new AbortController();
  const waiting = places.take('host', controller.signal);
  controller.abort(new Error('still no place'));
  await assert.rejects(waiting, /still no place/);
});

test('one who gave up waiting takes nobody else’s turn', async () => {
  const places = createPlaces(1);
  const leave = await places.take('host', never);
  const controller = new AbortController();
  const gone = places.take('host', controller.signal);
  const next = places.take('host', never);
  controller.abort(new Error('gone'));
  await assert.rejects(gone, /gone/);
  leave();
  (await next)();
  await places.take('host', never);
});
