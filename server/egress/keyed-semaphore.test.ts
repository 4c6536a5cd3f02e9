import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKeyedSemaphore } from './keyed-semaphore.ts';

const never = new AbortController().signal;

test('releasing twice frees one slot', async () => {
  const semaphore = createKeyedSemaphore(1);
  const release = await semaphore.acquire('host', never);
  release();
  release();
  await semaphore.acquire('host', never);
  const aborted = AbortSignal.abort(new Error('no place'));
  await assert.rejects(semaphore.acquire('host', aborted), /no place/);
  const controller = new AbortController();
  const waiting = semaphore.acquire('host', controller.signal);
  controller.abort(new Error('still no place'));
  await assert.rejects(waiting, /still no place/);
});

test('an aborted waiter does not take another waiter’s turn', async () => {
  const semaphore = createKeyedSemaphore(1);
  const release = await semaphore.acquire('host', never);
  const controller = new AbortController();
  const cancelled = semaphore.acquire('host', controller.signal);
  const next = semaphore.acquire('host', never);
  controller.abort(new Error('gone'));
  await assert.rejects(cancelled, /gone/);
  release();
  (await next)();
  await semaphore.acquire('host', never);
});
