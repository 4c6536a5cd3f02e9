/** A task as a video of OpenAI's format. */
import { failureMessage } from '@vidgen/contract/failure-messages.ts';
import type { Video, videoStatuses } from '@vidgen/contract/openai-videos.ts';
import type { TaskStatus } from '@vidgen/contract/task-status.ts';
import { editingDuration } from '../../../catalog/models.ts';
import type { Task } from '../../../tasks/task.ts';
import { isFinal } from '../../../tasks/task.ts';
import { sizeOf } from '../video-size.ts';

/** Of an edit whose source could not be measured. */
const editSecondsMax = 30;

const statuses: Readonly<Record<TaskStatus, (typeof videoStatuses)[number]>> = {
  queued: 'queued',
  generating: 'in_progress',
  completed: 'completed',
  failed: 'failed',
};

export function videoView(task: Task): Video {
  const { generation, status, progress, pricedSeconds, expiresAt, finishedAt } = task;
  const isEdit = generation.duration === editingDuration;
  return {
    id: task.id,
    object: 'video',
    model: task.model,
    status: statuses[status],
    progress: status === 'failed' ? 0 : Math.round((progress ?? 0) * 100),
    created_at: unixSecondsOf(task.createdAt),
    completed_at: status === 'completed' && finishedAt ? unixSecondsOf(finishedAt) : null,
    expires_at: expiresAt ? unixSecondsOf(expiresAt) : null,
    seconds: String(isEdit ? Math.round(pricedSeconds ?? editSecondsMax) : generation.duration),
    size: sizeOf(generation),
    prompt: generation.prompt,
    error: errorOf(task),
    remixed_from_video_id: null,
  };
}

/** n8n stops polling only at `completed` or at an `error`. */
function errorOf(task: Task): Video['error'] {
  const { failedReason: reason, rejectedPart: part, billingStatus, refundOutcome } = task;
  if (reason === null) return null;
  const message = failureMessage({ reason, part, billingStatus, refundOutcome });
  return { code: reason, message };
}

/** Python's client polls every second without it. */
const pollAfterMs = 5000;

export const pollHeaders = (task: Pick<Task, 'status'>): Record<string, string> =>
  isFinal(task) ? {} : { 'openai-poll-after-ms': String(pollAfterMs) };

const unixSecondsOf = (at: Date): number => Math.floor(at.getTime() / 1000);
