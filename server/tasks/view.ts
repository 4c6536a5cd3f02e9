/**
 * A task in the contract's format: the status response (docs/spec.md 2.1), webhooks (docs/spec.md
 * 6), and the create request that would repeat it (docs/spec.md 2.2).
 */
import type { CreateGenerationRequest } from '@vidgen/contract/create-generation.ts';
import { failureMessage, type TaskFailureView } from '@vidgen/contract/failure-messages.ts';
import type { TaskStatusResponse } from '@vidgen/contract/task-status.ts';
import type { CompletionPayload, FailurePayload } from '@vidgen/contract/webhook-payload.ts';
import type { Task, TaskState } from './task.ts';

/** Returns a signed URL for a storage key of this task; it expires with the result. */
export type ResultUrl = (task: TaskState, key: string) => string;

export function taskStatusView(task: TaskState, resultUrl: ResultUrl): TaskStatusResponse {
  return {
    id: task.id,
    status: task.status,
    created_at: unixSecondsOf(task.createdAt),
    model: task.model,
    billing_status: task.billingStatus,
    credits: task.credits,
    failed_reason: task.failedReason,
    ...(task.status === 'completed' ? { data: dataOf(task, resultUrl) } : {}),
    ...metadataOf(task),
  };
}

/** The fields of docs/spec.md 6.2 and 6.3, and `metadata`. Built once, when it becomes final. */
export function webhookPayload(
  task: Task,
  resultUrl: ResultUrl,
): CompletionPayload | FailurePayload {
  const head = { id: task.id, created_at: unixSecondsOf(task.createdAt), model: task.model };
  if (task.status === 'completed') {
    return { ...head, status: 'completed', data: dataOf(task, resultUrl), ...metadataOf(task) };
  }
  if (task.failedReason === null) throw new Error(`${task.id} is not final: it has no webhook`);
  return {
    ...head,
    status: 'failed',
    data: {
      failed_reason: task.failedReason,
      credits_refunded: task.billingStatus === 'refunded' ? task.credits : 0,
    },
    ...metadataOf(task),
  };
}

/** Defaults are spelled out; fields that the task does not use are left out. */
export function requestOf({ generation, callbackUrl, metadata }: Task): CreateGenerationRequest {
  const { imageUrls, videoUrls, audioUrls, seed, options } = generation;
  return {
    model: generation.model,
    ...(callbackUrl === null ? {} : { callback_url: callbackUrl }),
    input: {
      prompt: generation.prompt,
      generation_type: generation.generationType,
      ...(imageUrls.length === 0 ? {} : { image_urls: [...imageUrls] }),
      ...(videoUrls.length === 0 ? {} : { video_urls: [...videoUrls] }),
      ...(audioUrls.length === 0 ? {} : { audio_urls: [...audioUrls] }),
      duration: generation.duration,
      aspect_ratio: generation.aspectRatio,
      resolution: generation.resolution,
      generate_audio: generation.generateAudio,
      watermark: generation.watermark,
      web_search: generation.webSearch,
      return_last_frame: generation.returnLastFrame,
      ...(seed === null ? {} : { seed }),
      ...(options ? { options: { ...options } } : {}),
    },
    ...metadataOf({ metadata }),
  };
}

/** Why a task failed, in a sentence for people; null for any other. The contract has the reason. */
export function failureView(task: Task): TaskFailureView | null {
  const { failedReason: reason, rejectedPart: part } = task;
  if (reason === null) return null;
  return { reason, part, sentence: failureMessage({ ...task, reason, part }) };
}

const metadataOf = ({ metadata }: Pick<Task, 'metadata'>) =>
  metadata === null ? {} : { metadata };

function dataOf(task: TaskState, resultUrl: ResultUrl) {
  const { result, expiresAt, expired, submittedAt, finishedAt } = task;
  if (!result || !expiresAt || !finishedAt) throw new Error(`${task.id} has no result`);
  const startedAt = submittedAt ?? task.createdAt;
  return {
    results: expired ? [] : [resultUrl(task, result.video)],
    video_expires_at: expiresAt.toISOString(),
    last_frame_url: expired || result.lastFrame === null ? null : resultUrl(task, result.lastFrame),
    processing_time: Math.max(0, Math.round((finishedAt.getTime() - startedAt.getTime()) / 1000)),
  };
}

const unixSecondsOf = (at: Date): number => Math.floor(at.getTime() / 1000);
