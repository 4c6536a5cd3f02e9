/**
 * Memory over many polls of tasks whose deadline is an hour away: what a poll leaves behind stays
 * until then. Polls run in this process with a simulated database, so thousands take seconds.
 * Thorough: a sample of a long fault test.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { LifecycleContext } from '../../../server/lifecycle/context.ts';
import { poll } from '../../../server/lifecycle/poll.ts';
import type { Provider } from '../../../server/providers/provider.ts';
import { createUpstream } from '../../../server/providers/toolkit/upstream.ts';
import type { Job } from '../../../server/queue/job.ts';
import { createLog } from '../../../server/telemetry/log.ts';
import { startLocalServer } from '../../kit/local-server.ts';
import { generationOf } from '../../kit/seed.ts';
import { runsOr } from '../fault-test.ts';

/** A leaking poll left about 2,500 bytes. */
const bytesPerPollMax = 200;
/** Polls at once, as in a worker. */
const concurrency = 50;

test('a poll leaves nothing behind until the deadline of its task', async () => {
  const bytesPerPoll = await measurePolls(runsOr(20_000));
  assert.ok(bytesPerPoll <= bytesPerPollMax, `${bytesPerPoll} bytes per poll`);
});

/** Returns bytes per poll. One in ten makes a request, with the client that all adapters share. */
async function measurePolls(polls: number): Promise<number> {
  const { origin, close } = await startLocalServer((_, response) => void response.end('{}'));
  const upstream = createUpstream({ baseUrl: origin });
  let calls = 0;
  const status: Provider['status'] = async (request) => {
    calls += 1;
    request.signal.addEventListener('abort', () => {}, { once: true });
    if (calls % 10 === 0) {
      const call = { method: 'GET', path: '/', timeoutMs: 3_600_000 } as const;
      await upstream.call({ ...call, signal: request.signal });
    }
    return { outcome: 'pending', pollAfterSeconds: 10 };
  };
  const lifecycle = simulatedLifecycle({ status });
  const lease = new AbortController();
  const run = async (count: number) => {
    const one = async () => {
      for (let polled = 0; polled < count / concurrency; polled++) {
        await poll(lifecycle, job, lease.signal);
      }
    };
    await Promise.all(Array.from({ length: concurrency }, one));
  };
  try {
    // Compiled code, sockets and caches are there before the measurement.
    await run(Math.min(2000, polls));
    const [heapBefore, callsBefore] = [await settledHeap(), calls];
    await run(polls);
    const measured = calls - callsBefore;
    return ((await settledHeap()) - heapBefore) / measured;
  } finally {
    await upstream.close();
    await close();
  }
}

const job = { id: 1, kind: 'poll', taskId: 'task_1', fence: 1, attempts: 0 } as Job;

function simulatedLifecycle({ status }: Pick<Provider, 'status'>): LifecycleContext {
  const provider = { name: 'simulated', typicalSeconds: () => 60, status } as unknown as Provider;
  const task = {
    id: job.taskId,
    status: 'generating',
    secondsLeft: 3600,
    generation: generationOf(),
    progress: null,
  };
  const attempt = { provider: 'simulated', credential: null, operation: 'operation', number: 1 };
  return {
    log: createLog('silent'),
    providers: { get: () => provider, has: () => true },
    polls: { find: async () => ({ task, attempt }), reschedule: async () => {} },
  } as unknown as LifecycleContext;
}

/** The heap after collections, which also run finalizers between them. */
async function settledHeap(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let round = 0; round < 5; round++) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return process.memoryUsage().heapUsed;
}
