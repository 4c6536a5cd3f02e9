/** What the provider contract promises about `status` and `cancel` of an accepted operation. */
import assert from 'node:assert/strict';
import type { StatusAnswer } from '../../server/providers/provider.ts';
import {
  assertNoFile,
  type Bench,
  type Case,
  readResult,
  type StatusTrouble,
  sampleStatus,
  started,
  type Turn,
} from './conformance-bench.ts';

async function lookAfter(bench: Bench, turn: Turn): Promise<StatusAnswer> {
  const { operation, look } = await started(bench);
  await bench.turn(operation, turn);
  return look();
}

const stillPending = (trouble: StatusTrouble) => async (bench: Bench) => {
  const { look } = await started(bench);
  await bench.troubleStatus(trouble);
  const answer = await look();
  assert.equal(answer.outcome, 'pending', JSON.stringify(answer));
  const after = await look();
  assert.equal(after.outcome, 'pending', 'and the next look sees the operation again');
};

export const statusCases = [
  {
    id: 'completed',
    promise: 'is pending, then completed with a video that can be read',
    run: async (bench) => {
      const { operation, look } = await started(bench);
      assert.equal((await look()).outcome, 'pending');
      await bench.turn(operation, 'running');
      assert.equal((await look()).outcome, 'pending');
      await bench.turn(operation, 'completed');
      const answer = await look();
      assert.equal(answer.outcome, 'completed', JSON.stringify(answer));
      const { video } = answer as Extract<StatusAnswer, { outcome: 'completed' }>;
      assert.ok((await readResult(video)).length > 0);
    },
  },
  {
    id: 'progress',
    promise: 'tells how far it is from 0 to 1, and no more once a look was answered',
    run: async (bench) => {
      const { request, operation } = await started(bench);
      const shares: number[] = [];
      let isAnswered = false;
      const onProgress = (share: number) => {
        assert.ok(!isAnswered, 'told after the answer');
        shares.push(share);
      };
      for (const turn of ['running', 'completed'] as const) {
        await bench.turn(operation, turn);
        isAnswered = false;
        const answer = await bench.provider.status({
          ...sampleStatus(operation, request),
          onProgress,
        });
        isAnswered = true;
        if (answer.outcome === 'pending') shares.push(answer.progress ?? 0);
      }
      for (const share of shares) assert.ok(share >= 0 && share <= 1, String(share));
    },
  },
  {
    id: 'unknown-status',
    promise: 'keeps an unknown status pending, with an alert',
    run: async (bench) => {
      const answer = await lookAfter(bench, 'unknown-status');
      assert.equal(answer.outcome, 'pending', JSON.stringify(answer));
      assert.ok(answer.outcome === 'pending' && answer.alert);
    },
  },
  ...(
    [
      ['failed', 'failed', 'calls a failure failed'],
      ['content-rejected', 'rejected', 'calls content refused at the end rejected'],
      ['expired', 'timed_out', 'calls an expired operation timed out'],
    ] as const
  ).map(([turn, reason, promise]) => ({
    id: turn === 'content-rejected' ? ('content-rejected-at-end' as const) : turn,
    promise,
    run: async (bench: Bench) => {
      const answer = await lookAfter(bench, turn);
      assert.partialDeepStrictEqual(answer, { outcome: 'failed', reason });
    },
  })),
  {
    id: 'completed-without-video',
    promise: 'never passes off success without a video as a video',
    run: async (bench) => {
      const answer = await lookAfter(bench, 'completed-without-video');
      // Where only the download shows it, it must: the service tries again, then calls it failed.
      if (answer.outcome === 'completed') return await assertNoFile(answer.video);
      assert.partialDeepStrictEqual(answer, { outcome: 'failed', reason: 'failed' });
    },
  },
  {
    id: 'vanished',
    promise: 'calls an operation the upstream no longer knows lost',
    run: async (bench) => {
      assert.equal((await lookAfter(bench, 'vanished')).outcome, 'lost');
    },
  },
  {
    id: 'status-slow',
    promise: 'ends a look without an answer at its deadline, still pending',
    impatient: true,
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
    run: async (bench) => {
      const { request, operation } = await started(bench);
      await bench.troubleStatus('never-answers');
      const signal = AbortSignal.abort();
      const answer = await bench.provider.status({ ...sampleStatus(operation, request), signal });
      assert.equal(answer.outcome, 'pending');
    },
  },
] as const satisfies readonly Case[];

export const cancelCases = [
  {
    id: 'cancel-queued',
    promise: 'stops what is queued, or says that it did not',
    run: async (bench) => {
      const { operation, look } = await started(bench);
      const answer = await bench.provider.cancel(operation);
      const state = (await look()).outcome;
      // Whoever says `stopped` must not be found running afterwards.
      if (answer === 'stopped') assert.ok(['failed', 'lost'].includes(state), state);
      else assert.ok(['running', 'unknown'].includes(answer), answer);
    },
  },
  {
    id: 'cancel-running',
    promise: 'never calls running work stopped when it goes on',
    run: async (bench) => {
      const { operation, look } = await started(bench);
      await bench.turn(operation, 'running');
      const answer = await bench.provider.cancel(operation);
      const state = (await look()).outcome;
      assert.equal(answer === 'stopped', state !== 'pending', `${answer}, then ${state}`);
    },
  },
  {
    id: 'cancel-completed',
    promise: 'leaves a finished result alone',
    run: async (bench) => {
      const { operation } = await started(bench);
      await bench.turn(operation, 'completed');
      assert.notEqual(await bench.provider.cancel(operation), 'stopped');
      assert.ok(bench.holds(operation), 'the result is still there');
    },
  },
  {
    id: 'cancel-vanished',
    promise: 'never calls an operation stopped that the upstream does not know',
    run: async (bench) => {
      const { operation } = await started(bench);
      await bench.turn(operation, 'vanished');
      assert.ok(['gone', 'unknown'].includes(await bench.provider.cancel(operation)));
    },
  },
] as const satisfies readonly Case[];
