/** Looks keep to an upstream's pace, and whoever has to stay away is told a time of their own. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bearer, createThrottledGet, throttledStatus } from './throttled-get.ts';
import type { Upstream, UpstreamCall } from './upstream.ts';

function listening() {
  const calls: UpstreamCall[] = [];
  const upstream: Upstream = {
    async call(call) {
      calls.push(call);
      return { kind: 'answered', status: 200, headers: {}, json: {} };
    },
    download: () => assert.fail('nothing is downloaded here'),
    close: async () => {},
  };
  return { calls, upstream };
}

test('asks with the headers of the moment, by GET unless told otherwise', async () => {
  const { calls, upstream } = listening();
  let key = '';
  const read = createThrottledGet(upstream, { perSecond: 1_000, headers: bearer(() => key) });
  await read('/one');
  key = 'changed';
  await read('/two', { method: 'POST' });
  assert.deepEqual(
    calls.map(({ method, path, headers }) => [method, path, headers]),
    [
      ['GET', '/one', {}],
      ['POST', '/two', { authorization: 'Bearer changed' }],
    ],
  );
});

test('sends away who would wait too long, each to another time, and asks nothing', async () => {
  const { calls, upstream } = listening();
  const headers = () => ({});
  const read = createThrottledGet(upstream, { perSecond: 0.01, headers, waitMsMax: 0 });
  const [first, second, third] = await Promise.all([read('/1'), read('/2'), read('/3')]);
  assert.equal(first.kind, 'answered');
  assert.ok(second.kind === 'busy' && third.kind === 'busy');
  assert.ok(third.waitSeconds - second.waitSeconds > 99, 'one after the other');
  assert.equal(calls.length, 1);
  assert.deepEqual(throttledStatus(second), {
    outcome: 'pending',
    pollAfterSeconds: second.waitSeconds,
    isJittered: true,
  });
});
