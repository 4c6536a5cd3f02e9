/** A task as a video job of OpenRouter's format. Its clients read an `error` only as a string. */
import { failureMessage } from '@vidgen/contract/failure-messages.ts';
import type { VideoJob } from '@vidgen/contract/openrouter-videos.ts';
import type { Task } from '../../../tasks/task.ts';
import type { ApiServices } from '../../http/handler.ts';

export const pollingUrlOf = ({ publicUrl }: ApiServices, id: string): string =>
  `${publicUrl().replace(/\/{1,9}$/, '')}/api/v1/videos/${id}`;

export function jobView(services: ApiServices, task: Task): VideoJob {
  const { id, result, expired, credits, billingStatus } = task;
  return {
    id,
    polling_url: pollingUrlOf(services, id),
    status: statusOf(task),
    ...(result && !expired
      ? { unsigned_urls: [services.lifecycle.resultUrl(task, result.video)] }
      : {}),
    ...(billingStatus === 'charged' ? { usage: { cost: credits } } : {}),
    ...errorOf(task),
  };
}

function statusOf({ status, failedReason, expired }: Task): VideoJob['status'] {
  switch (status) {
    case 'queued':
      return 'pending';
    case 'generating':
      return 'in_progress';
    case 'completed':
      return expired ? 'expired' : 'completed';
    case 'failed':
      return failedReason === 'cancelled' ? 'cancelled' : 'failed';
  }
}

function errorOf(task: Task): Pick<VideoJob, 'error'> {
  const { failedReason: reason, rejectedPart: part, billingStatus, refundOutcome } = task;
  if (reason === null) return {};
  return { error: failureMessage({ reason, part, billingStatus, refundOutcome }) };
}
