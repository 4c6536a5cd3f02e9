/** The spans of a task that several steps share. Called only when traces are sent. */
import { nowMs } from '../../process/clock.ts';
import type { Task } from '../../tasks/task.ts';
import type { Traces } from '../../telemetry/traces.ts';

/** The commit that ended the task, and the task as a whole: exactly one commit ends it. */
export function traceEnd(
  traces: Traces,
  ended: { readonly task: Task; readonly provider: string | undefined; readonly startMs: number },
): void {
  const { task, provider, startMs } = ended;
  const { id: taskId, model, mode, status, failedReason, createdAt, finishedAt } = task;
  const isError = status === 'failed';
  traces.add({ taskId, name: 'settle', startMs, endMs: nowMs(), attributes: { status } });
  traces.add({
    ...{ taskId, name: 'task', isRoot: true, isError },
    startMs: createdAt.getTime(),
    endMs: (finishedAt ?? createdAt).getTime(),
    attributes: { model, mode, provider, status, failed_reason: failedReason },
  });
}
