/** A task as Replicate shows it: the body of reads, and of webhooks that its clients asked for. */
import type { Prediction } from '@vidgen/contract/replicate-predictions.ts';
import type { Task } from '../../../tasks/task.ts';
import { createdAtOf } from '../../../tasks/task-id.ts';
import { failureView, type ResultUrl } from '../../../tasks/view.ts';
import { ownedName } from './translate.ts';

/** As it is created; `base` is the public URL. */
export function startingPrediction(
  base: string,
  { id, model, input }: Pick<Prediction, 'id' | 'model' | 'input'>,
): Prediction {
  const get = `${base.replace(/\/{1,9}$/, '')}/v1/predictions/${id}`;
  return {
    id,
    model: ownedName(model),
    version: 'hidden',
    input,
    output: null,
    error: null,
    logs: '',
    status: 'starting',
    source: 'api',
    data_removed: false,
    metrics: {},
    created_at: createdAtOf(id).toISOString(),
    started_at: null,
    completed_at: null,
    urls: { get, cancel: `${get}/cancel` },
  };
}

export function predictionView(base: string, task: Task, resultUrl: ResultUrl): Prediction {
  const { id, model, generation, result, expired, submittedAt, finishedAt } = task;
  const { prompt, duration, resolution, aspectRatio: aspect_ratio, options } = generation;
  const input = { ...options, prompt, duration, resolution, aspect_ratio };
  const status = statusOf(task);
  const ms = submittedAt && result && finishedAt ? finishedAt.getTime() - submittedAt.getTime() : 0;
  return {
    ...startingPrediction(base, { id, model, input }),
    output: result && !expired ? resultUrl(task, result.video) : null,
    error: status === 'failed' ? failureView(task)!.sentence : null,
    status,
    data_removed: expired,
    metrics: ms > 0 ? { predict_time: ms / 1000 } : {},
    started_at: submittedAt?.toISOString() ?? null,
    completed_at: finishedAt?.toISOString() ?? null,
  };
}

const statuses = { queued: 'starting', generating: 'processing', completed: 'succeeded' } as const;

/** Never Replicate's `aborted`: its clients do not know it, and would poll on. */
function statusOf({ status, failedReason }: Task): Prediction['status'] {
  if (status !== 'failed') return statuses[status];
  return failedReason === 'cancelled' ? 'canceled' : 'failed';
}
