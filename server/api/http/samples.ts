/** Sample ids, tasks and webhook payloads for the examples of the OpenAPI document. */
export const accountId = '7b0c7a2e-6f0c-4f0e-9d57-0c2d7d1c9a11';
export const keyId = 'key_4hG8sK2mQ9xT1vB7nR5wZc';
export const taskId = 'task_01kbwq3n7he9rv5t2m8xz4c6da';
export const createdAt = 1_767_268_800;

export const pageOf = (...items: readonly unknown[]) => ({ items, next_cursor: null });

const resultUrl = (file: string) => `https://videos.example.com/results/${taskId}/${file}`;

const taskData = {
  results: [resultUrl('video.mp4?expires=1767355200&signature=Jx3…')],
  video_expires_at: '2026-01-02T12:00:00.000Z',
  last_frame_url: null,
  processing_time: 94,
};

export const completionPayload = {
  id: taskId,
  status: 'completed',
  created_at: createdAt,
  model: 'vidgen-2-5',
  data: taskData,
};
export const failurePayload = {
  ...completionPayload,
  status: 'failed',
  data: { failed_reason: 'provider_failed', credits_refunded: 40 },
};

const task = {
  id: taskId,
  created_at: createdAt,
  model: 'vidgen-2-5',
  credits: 40,
  failed_reason: null,
};

export const queuedTask = { ...task, status: 'queued', billing_status: 'reserved' };
export const completedTask = {
  ...task,
  status: 'completed',
  billing_status: 'charged',
  data: taskData,
};
export const failedTask = {
  ...task,
  status: 'failed',
  billing_status: 'refunded',
  failed_reason: 'provider_failed',
};
export const cancelledTask = { ...failedTask, failed_reason: 'cancelled' };
