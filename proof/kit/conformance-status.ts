/** What the provider contract promises about `status` and `cancel` of an accepted operation. */
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
  assert.equal(after.outcome, 'pending', 'and the next look sees the operation again');
};

export const statusCases = [
  {
    id: 'completed',
    promise: 'is pending, then completed with a video that can be read',
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
    promise: 'tells how far it is from 0 to 1, and no more once a look was answered',
    run: async (fixture) => {
      const { request, operation } = await startGeneration(fixture);
      const shares: number[] = [];
      let isSettled = false;
      const onProgress = (share: number) => {
        assert.ok(!isSettled, 'told after the answer');
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
      ['failed', 'failed', 'calls a failure failed'],
      ['content-rejected', 'rejected', 'calls content refused at the end rejected'],
      ['expired', 'timed_out', 'calls an expired operation timed out'],
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
    promise: 'never passes off success without a video as a video',
    run: async (fixture) => {
      const result = await pollAfter(fixture, 'completed-without-video');
      // Where only the download shows it, it must: the service tries again, then calls it failed.
      if (result.outcome === 'completed') return await assertNoFile(result.video);
      assert.partialDeepStrictEqual(result, { outcome: 'failed', reason: 'failed' });
    },
  },
  {
    id: 'vanished',
    promise: 'calls an operation the upstream no longer knows lost',
    run: async (fixture) => {
      assert.equal((await pollAfter(fixture, 'vanished')).outcome, 'lost');
    },
  },
  {
    id: 'status-slow',
    promise: 'ends a look without an answer at its deadline, still pending',
    shortTimeouts: true,
    run: stillPending('never-answers'),
  },
  {
    id: 'status-error',
    promise: 'keeps an operation pending through a server error',
    run: stillPending('error'),
  },
  {
    id: 'status-throttled',
    promise: 'keeps an operation pending when throttled',
    run: stillPending('throttled'),
  },
  {
    id: 'status-garbage',
    promise: 'keeps an operation pending when the answer is no JSON',
    run: stillPending('garbage'),
  },
  {
    id: 'status-html',
    promise: "keeps an operation pending on a proxy's error page",
    run: stillPending('html'),
  },
  {
    id: 'status-types',
    promise: 'keeps an operation pending when fields have the wrong types',
    run: stillPending('types'),
  },
  {
    id: 'status-stopped',
    promise: 'stops looking when told to, still pending',
    run: async (fixture) => {
      const { request, operation } = await startGeneration(fixture);
      await fixture.failStatus('never-answers');
      const signal = AbortSignal.abort();
      const result = await fixture.provider.status({ ...sampleStatus(operation, request), signal });
      assert.equal(result.outcome, 'pending');
    },
  },
] as const satisfies readonly ConformanceCase[];

export const cancelCases = [
  {
    id: 'cancel-queued',
    promise: 'stops what is queued, or says that it did not',
    run: async (fixture) => {
      const { operation, poll } = await startGeneration(fixture);
      const result = await fixture.provider.cancel(operation);
      const state = (await poll()).outcome;
      // Whoever says `stopped` must not be found running afterwards.
      if (result === 'stopped') assert.ok(['failed', 'lost'].includes(state), state);
      else assert.ok(['running', 'unknown'].includes(result), result);
    },
  },
  {
    id: 'cancel-running',
    promise: 'never calls running work stopped when it goes on',
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
    promise: 'leaves a finished result alone',
    run: async (fixture) => {
      const { operation } = await startGeneration(fixture);
      await fixture.setState(operation, 'completed');
      assert.notEqual(await fixture.provider.cancel(operation), 'stopped');
      assert.ok(fixture.hasResult(operation), 'the result is still there');
    },
  },
  {
    id: 'cancel-vanished',
    promise: 'never calls an operation stopped that the upstream does not know',
    run: async (fixture) => {
      const { operation } = await startGeneration(fixture);
      await fixture.setState(operation, 'vanished');
      assert.ok(['ended', 'unknown'].includes(await fixture.provider.cancel(operation)));
    },
  },
] as const satisfies readonly ConformanceCase[];
