/** Conformance cases of `status` and `cancel` for an accepted operation. */
import assert from 'node:assert/strict';
import type { StatusResult } from '../../server/providers/provider.ts';
import {
  type AdapterFixture,
  assertNoFile,
  type ConformanceCase,
  readResult,
  type StatusFault,
  sampleStatus,
  startGeneration,
  type UpstreamState,
} from './conformance-fixture.ts';

async function pollAfter(fixture: AdapterFixture, state: UpstreamState): Promise<StatusResult> {
  const { operation, poll } = await startGeneration(fixture);
  await fixture.setState(operation, state);
  return poll();
}

const stillPending = (fault: StatusFault) => async (fixture: AdapterFixture) => {
  const { poll } = await startGeneration(fixture);
  await fixture.failStatus(fault);
  const result = await poll();
  assert.equal(result.outcome, 'pending', JSON.stringify(result));
  const after = await poll();
  assert.equal(after.outcome, 'pending', 'the next poll still finds the operation');
};

export const statusCases = [
  {
    id: 'completed',
    promise: 'is pending, then completed with a readable video',
    run: async (fixture) => {
      const { operation, poll } = await startGeneration(fixture);
      assert.equal((await poll()).outcome, 'pending');
      await fixture.setState(operation, 'running');
      assert.equal((await poll()).outcome, 'pending');
      await fixture.setState(operation, 'completed');
      const result = await poll();
      assert.equal(result.outcome, 'completed', JSON.stringify(result));
      const { video } = result as Extract<StatusResult, { outcome: 'completed' }>;
      assert.ok((await readResult(video)).length > 0);
    },
  },
  {
    id: 'progress',
    promise: 'reports progress from 0 to 1, and none after a poll has returned',
    run: async (fixture) => {
      const { request, operation } = await startGeneration(fixture);
      const shares: number[] = [];
      let isSettled = false;
      const onProgress = (share: number) => {
        assert.ok(!isSettled, 'progress reported after the result');
        shares.push(share);
      };
      for (const state of ['running', 'completed'] as const) {
        await fixture.setState(operation, state);
        isSettled = false;
        const result = await fixture.provider.status({
          ...sampleStatus(operation, request),
          onProgress,
        });
        isSettled = true;
        if (result.outcome === 'pending') shares.push(result.progress ?? 0);
      }
      for (const share of shares) assert.ok(share >= 0 && share <= 1, String(share));
    },
  },
  {
    id: 'unknown-status',
    promise: 'keeps an unknown status pending, with an alert',
    run: async (fixture) => {
      const result = await pollAfter(fixture, 'unknown-status');
      assert.equal(result.outcome, 'pending', JSON.stringify(result));
      assert.ok(result.outcome === 'pending' && result.alert);
    },
  },
  ...(
    [
      ['failed', 'failed', 'reports a failure as failed'],
      ['content-rejected', 'rejected', 'reports content declined at the end as rejected'],
      ['expired', 'timed_out', 'reports an expired operation as timed out'],
    ] as const
  ).map(([state, reason, promise]) => ({
    id: state === 'content-rejected' ? ('content-rejected-at-end' as const) : state,
    promise,
    run: async (fixture: AdapterFixture) => {
      const result = await pollAfter(fixture, state);
      assert.partialDeepStrictEqual(result, { outcome: 'failed', reason });
    },
  })),
  {
    id: 'completed-without-video',
    promise: 'does not report success without a video as a video',
    run: async (fixture) => {
      const result = await pollAfter(fixture, 'completed-without-video');
      // Where only the download can tell, it must fail: the service retries, then fails the task.
      if (result.outcome === 'completed') return await assertNoFile(result.video);
      assert.partialDeepStrictEqual(result, { outcome: 'failed', reason: 'failed' });
    },
  },
  {
    id: 'vanished',
    promise: 'reports an operation that the upstream no longer knows as lost',
    run: async (fixture) => {
      assert.equal((await pollAfter(fixture, 'vanished')).outcome, 'lost');
    },
  },
  ...(
    [
      ['status-slow', 'no-response', 'when no response arrives before the deadline'],
      ['status-error', 'error', 'through a server error'],
      ['status-throttled', 'throttled', 'when throttled'],
      ['status-garbage', 'garbage', 'when the response is not JSON'],
      ['status-html', 'html', "on a proxy's error page"],
      ['status-types', 'types', 'when fields have the wrong types'],
    ] as const
  ).map(([id, fault, when]) => ({
    id,
    promise: `keeps an operation pending ${when}`,
    shortTimeouts: fault === 'no-response',
    run: stillPending(fault),
  })),
  {
    id: 'status-stopped',
    promise: 'stops a poll when its signal aborts, still pending',
    run: async (fixture) => {
      const { request, operation } = await startGeneration(fixture);
      await fixture.failStatus('no-response');
      const signal = AbortSignal.abort();
      const result = await fixture.provider.status({ ...sampleStatus(operation, request), signal });
      assert.equal(result.outcome, 'pending');
    },
  },
] as const satisfies readonly ConformanceCase[];

export const cancelCases = [
  {
    id: 'cancel-queued',
    promise: 'stops a queued operation, or reports that it did not',
    run: async (fixture) => {
      const { operation, poll } = await startGeneration(fixture);
      const result = await fixture.provider.cancel(operation);
      const state = (await poll()).outcome;
      // A `stopped` operation must not be running afterwards.
      if (result === 'stopped') assert.ok(['failed', 'lost'].includes(state), state);
      else assert.ok(['running', 'unknown'].includes(result), result);
    },
  },
  {
    id: 'cancel-running',
    promise: 'reports a running operation as stopped only when it stopped',
    run: async (fixture) => {
      const { operation, poll } = await startGeneration(fixture);
      await fixture.setState(operation, 'running');
      const result = await fixture.provider.cancel(operation);
      const state = (await poll()).outcome;
      assert.equal(result === 'stopped', state !== 'pending', `${result}, then ${state}`);
    },
  },
  {
    id: 'cancel-completed',
    promise: 'keeps the result of a completed operation',
    run: async (fixture) => {
      const { operation } = await startGeneration(fixture);
      await fixture.setState(operation, 'completed');
      assert.notEqual(await fixture.provider.cancel(operation), 'stopped');
      assert.ok(fixture.hasResult(operation), 'the result is still there');
    },
  },
  {
    id: 'cancel-vanished',
    promise: 'does not report an operation as stopped that the upstream does not know',
    run: async (fixture) => {
      const { operation } = await startGeneration(fixture);
      await fixture.setState(operation, 'vanished');
      assert.ok(['ended', 'unknown'].includes(await fixture.provider.cancel(operation)));
    },
  },
] as const satisfies readonly ConformanceCase[];
