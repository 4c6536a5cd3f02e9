/** A repeated request waits for the abandoned one that it may have overtaken. */
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { trackRequest, whenAbandonedSettled } from './abandoned-requests.ts';

const isSettled = async (credential: string): Promise<boolean> => {
  const settled = whenAbandonedSettled(credential).then(() => true);
  return await Promise.race([
    settled,
    new Promise<false>((resolve) => setImmediate(resolve, false)),
  ]);
};
const newResponse = () => new EventEmitter() as ServerResponse;

test('waits for requests of the same key whose client has gone, until they settle', async () => {
  const [first, second] = [newResponse(), newResponse()];
  const tracked = [trackRequest(first, 'a'), trackRequest(second, 'a')];
  assert.equal(await isSettled('a'), true, 'both clients are still there');
  first.emit('close');
  second.emit('close');
  assert.deepEqual([await isSettled('a'), await isSettled('b')], [false, true]);
  tracked[0]!.settle();
  assert.equal(await isSettled('a'), false);
  tracked[1]!.settle();
  assert.equal(await isSettled('a'), true);
});

test('does not wait for a request that was settled before its client left', async () => {
  const response = newResponse();
  trackRequest(response, 'a').settle();
  response.emit('close');
  assert.equal(await isSettled('a'), true);
});
