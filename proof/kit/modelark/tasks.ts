/** The fake's tasks, and how ModelArk shows them in responses, lists and callbacks. */
import { randomBytes } from 'node:crypto';
import type { ResultServer } from '../result-server.ts';
import type { ModelArkCreateBody } from './rules.ts';

export type FakeTask = ReturnType<typeof newTask>;

/** A test may change everything but the request. */
export const newTask = (body: ModelArkCreateBody, seconds: number, clientRequestId: string) => ({
  id: newId(seconds),
  body,
  /** Of the create request; not shown. */
  clientRequestId,
  createdSeconds: seconds,
  status: 'queued',
  updatedSeconds: seconds,
  error: null as { readonly code: string; readonly message: string } | null,
  video: true,
});

function newId(seconds: number): string {
  const stamp = new Date(seconds * 1000).toISOString().replace(/\D/g, '').slice(0, 14);
  return `cgt-${stamp}-${randomBytes(4).toString('hex')}`;
}

export function viewOf(task: FakeTask, results: ResultServer): Readonly<Record<string, unknown>> {
  const { body } = task;
  return {
    id: task.id,
    model: body.model,
    status: task.status,
    ...(task.error ? { error: task.error } : {}),
    created_at: task.createdSeconds,
    updated_at: task.updatedSeconds,
    service_tier: 'default',
    priority: 0,
    execution_expires_after: body.execution_expires_after ?? 172_800,
    ...(body.safety_identifier ? { safety_identifier: body.safety_identifier } : {}),
    ...(task.status === 'succeeded' ? outputOf(task, results) : {}),
  };
}

function outputOf(task: FakeTask, results: ResultServer) {
  const { body } = task;
  const frame = body.return_last_frame ? { last_frame_url: results.frameUrl(task.id) } : {};
  const duration = body.duration === -1 ? 5 : (body.duration ?? 5);
  return {
    error: null,
    content: task.video ? { video_url: results.videoUrl(task.id), ...frame } : {},
    usage: { completion_tokens: 108_900, total_tokens: 108_900, tool_usage: { web_search: 0 } },
    seed: body.seed ?? 97_151,
    resolution: body.resolution ?? '720p',
    ratio: body.ratio ?? '16:9',
    duration,
    framespersecond: 24,
    generate_audio: body.generate_audio ?? true,
  };
}
