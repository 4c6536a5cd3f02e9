/**
 * Generations that finish around the deadline of their task: one that was finished in time is
 * delivered and charged, and every other one is either delivered and charged or refunded.
 * Thorough: a sample of a long fault test.
 */
import { randomFrom } from '../../../renderer/random.ts';
import { nowMs } from '../../../server/process/clock.ts';
import type { Provider } from '../../../server/providers/provider.ts';
import { startJourney, textToVideo } from '../../kit/journey.ts';
import { createScriptedProvider } from '../../kit/scripted-provider.ts';
import { type Findings, faultTest, noFindings, resultOf } from '../fault-test.ts';

const timeoutMs = 3_000;
const spreadMs = 1_500;
const tasksAtOnce = 25;

/** Finishes each generation within `spreadMs` of the deadline, by its own clock. */
function lateProvider(random: () => number): Provider & { finishedMs(taskId: string): number } {
  const scripted = createScriptedProvider({ name: 'late', script: { status: ['completed'] } });
  const finished = new Map<string, number>();
  return {
    ...scripted,
    finishedMs: (taskId) => finished.get(taskId) ?? Number.POSITIVE_INFINITY,
    async start(request) {
      const offsetMs = (2 * random() - 1) * spreadMs;
      finished.set(request.taskId, nowMs() + request.secondsLeft * 1000 + offsetMs);
      return await scripted.start(request);
    },
    async status(request) {
      const isFinished = nowMs() >= finished.get(request.taskId)!;
      // It would be polled again an hour later.
      if (!isFinished) return { outcome: 'pending', pollAfterSeconds: 3600 };
      return await scripted.status(request);
    },
  };
}

faultTest('a provider finishes just before or just after the deadline of the task', {
  sample: 10,
  async run({ runs, seed, log, signal }) {
    const late = lateProvider(randomFrom(seed));
    await using journey = await startJourney({
      providers: { late },
      file: { routes: { [textToVideo.model]: ['late'] } },
      environment: {
        VIDGEN_TASK_TIMEOUT: `${timeoutMs / 1000}s`,
        VIDGEN_RATE_CREATE: '0',
        VIDGEN_RATE_STATUS: '0',
      },
    });
    const { service } = journey;
    const { client } = await service.account({ live: 1_000_000 });
    const runTask = async (): Promise<Findings> => {
      const { body } = await client.create(textToVideo);
      const taskId = body.taskId as string;
      const task = await client.final(taskId);
      const { rows } = await service.db.query<{ deadlineAt: Date }>(
        'select deadline_at as "deadlineAt" from tasks where id = $1',
        [taskId],
      );
      const wasInTime = late.finishedMs(taskId) < rows[0]!.deadlineAt.getTime();
      const end = `${task.status} ${task.billing_status} ${task.failed_reason}`;
      const ends = ['completed charged null', ...(wasInTime ? [] : ['failed refunded timed_out'])];
      const broken = ends.includes(end) ? [] : [`${taskId} is ${end}, in time: ${wasInTime}`];
      return { ...noFindings, acknowledged: 1, broken };
    };
    const found: Findings[] = [];
    while (found.length < runs && !signal.aborted) {
      const count = Math.min(tasksAtOnce, runs - found.length);
      found.push(...(await Promise.all(Array.from({ length: count }, runTask))));
      log(`${found.length} of ${runs}`);
    }
    await service.assertInvariants();
    return resultOf(found, { runs: found.length });
  },
});
