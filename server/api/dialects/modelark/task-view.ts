/**
 * A task as ModelArk's API shows it: the body of its reads, of its list's items and of its
 * callbacks. Clients of that API read the same fields with the same meaning.
 */
import { editingDuration } from '@vidgen/contract/create-generation.ts';
import type { RejectedPart } from '@vidgen/contract/failure-messages.ts';
import type { Task } from '../../../tasks/task.ts';
import type { TaskOutcome } from '../../../tasks/task-pages.ts';
import { failureView, type ResultUrl } from '../../../tasks/view.ts';
import { unixSeconds } from '../../http/timestamps.ts';

type ModelArkStatus = 'queued' | 'running' | 'succeeded' | 'failed' | 'expired' | 'cancelled';

/** What a task shows that says nothing else: ModelArk's own defaults. */
const defaults = { executionExpiresAfter: 172_800, priority: 0 } as const;

const statuses = {
  queued: 'queued',
  generating: 'running',
  completed: 'succeeded',
  failed: 'failed',
  timed_out: 'expired',
  cancelled: 'cancelled',
} as const satisfies Record<TaskOutcome, ModelArkStatus>;

export function modelArkStatus({ status, failedReason }: Task): ModelArkStatus {
  const isOutcome = failedReason === 'timed_out' || failedReason === 'cancelled';
  return statuses[isOutcome ? failedReason : status];
}

/** Returns our outcomes with these names in ModelArk's API. */
export const outcomesNamed = (names: readonly string[]): TaskOutcome[] =>
  (Object.keys(statuses) as TaskOutcome[]).filter((outcome) => names.includes(statuses[outcome]));

export function modelArkView(task: Task, resultUrl: ResultUrl) {
  const { dialect } = task;
  const status = modelArkStatus(task);
  const { executionExpiresAfter, priority, safetyIdentifier } = dialect ?? {};
  return {
    id: task.id,
    model: dialect?.model ?? task.model,
    status,
    ...(status === 'failed' ? { error: errorOf(task) } : {}),
    created_at: unixSeconds(task.createdAt),
    updated_at: unixSeconds(task.finishedAt ?? task.submittedAt ?? task.createdAt),
    service_tier: 'default',
    execution_expires_after: executionExpiresAfter ?? defaults.executionExpiresAfter,
    priority: priority ?? defaults.priority,
    ...(safetyIdentifier === undefined ? {} : { safety_identifier: safetyIdentifier }),
    ...(status === 'succeeded' ? outputOf(task, resultUrl) : {}),
  };
}

/** `usage` counts credits: they are what this service charges. */
function outputOf(task: Task, resultUrl: ResultUrl) {
  const { generation, result, expired, credits, pricedSeconds } = task;
  const { seed, resolution, aspectRatio, duration, generateAudio } = generation;
  const videoUrl = result && !expired ? resultUrl(task, result.video) : null;
  const frameUrl = result?.lastFrame && !expired ? resultUrl(task, result.lastFrame) : null;
  const outputSeconds = duration === editingDuration ? Math.floor(pricedSeconds ?? 0) : duration;
  return {
    error: null,
    content: {
      ...(videoUrl === null ? {} : { video_url: videoUrl }),
      ...(frameUrl === null ? {} : { last_frame_url: frameUrl }),
    },
    usage: { completion_tokens: credits, total_tokens: credits },
    ...(seed === null || seed === -1 ? {} : { seed }),
    resolution,
    ratio: aspectRatio,
    ...(outputSeconds === 0 ? {} : { duration: outputSeconds }),
    generate_audio: generateAudio,
    draft: false,
    output_format: 'mp4',
  };
}

const rejectedCodes: Readonly<Record<RejectedPart, string>> = {
  prompt: 'InputTextSensitiveContentDetected',
  material: 'InputImageSensitiveContentDetected',
  input: 'SensitiveContentDetected',
  output: 'OutputVideoSensitiveContentDetected',
  settings: 'InvalidParameter.TaskTypeMismatch',
};

function errorOf(task: Task) {
  const { reason, part, sentence: message } = failureView(task)!;
  if (reason === 'provider_rejected') return { code: rejectedCodes[part ?? 'input'], message };
  const isMaterial = reason === 'material_unavailable';
  return { code: isMaterial ? 'InvalidImageURL.InvalidFormat' : 'InternalServiceError', message };
}
