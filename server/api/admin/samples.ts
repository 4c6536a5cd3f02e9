/** Sample accounts, keys, tasks and deliveries for the examples of the OpenAPI document. */
import { failureMessage, type RefundState } from '@vidgen/contract/failure-messages.ts';
import type { FailedReason } from '@vidgen/contract/task-status.ts';
import type { z } from 'zod';
import type { ResponseDescription } from '../http/endpoint-definition.ts';
import {
  accountId,
  completedTask,
  completionPayload,
  createdAt,
  pageOf,
  taskId,
} from '../http/samples.ts';

export const keyId = 'key_4hG8sK2mQ9xT1vB7nR5wZc';

export const account = {
  id: accountId,
  name: 'Paper Boat Studio',
  demo: false,
  created_at: createdAt,
  suspended_at: null,
  suspension_note: null,
  closed_at: null,
  erasure_started_at: null,
  erased_at: null,
  webhook_secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
  webhook_url: 'https://hooks.example.com/vidgen',
  retention: { prompts_days: null, deliveries_days: null, tasks_days: null, files_days: null },
  limits: { creates_per_minute: null, running_tasks: 20 },
  balance: {
    live: { available: 960, reserved: 40, suspended: 0 },
    test: { available: 0, reserved: 0, suspended: 0 },
  },
};

const { webhook_secret: _secret, ...accountWithoutSecret } = account;
export const listedAccount = { ...accountWithoutSecret, last_task_at: createdAt };

export const adminTask = {
  ...completedTask,
  account_id: accountId,
  key_id: keyId,
  mode: 'live',
  preview: false,
  prompt: 'A paper boat crosses a sunlit lake.',
  generation_type: 'text-to-video',
  resolution: '720p',
  duration: 5,
  callback_url: 'https://hooks.example.com/vidgen',
  submitted_at: createdAt + 1,
  finished_at: createdAt + 95,
  progress: 1,
  failure: null,
  poster_url: null,
  refund_outcome: null,
};

export const ledgerEntry = {
  id: '1042',
  account_id: accountId,
  mode: 'live',
  number: 3,
  kind: 'grant',
  source: 'outside',
  target: 'available',
  amount: 1000,
  balance_after: { available: 1000, reserved: 0, spent: 0, suspended: 0 },
  task_id: null,
  note: 'Invoice 2026-017',
  reference: 'inv_2026_017',
  created_at: createdAt,
};

export const apiKey = {
  id: keyId,
  account_id: accountId,
  name: 'Production',
  mode: 'live',
  permissions: ['videos:create', 'tasks:read', 'tasks:cancel', 'tasks:delete'],
  prefix: 'vg_live_4hG8',
  last_four: '9xTa',
  created_at: createdAt,
  expires_at: null,
  revoked_at: null,
  last_used_at: null,
  created_by: 'ada@example.com',
  spending_cap: { credits: 500, period: 'day', used: 120, renews_at: createdAt + 3600 },
  credits_30_days: 2840,
};

export const delivery = {
  id: 'msg_01kbgq5c2m7h4n9p6q3r8s1t5v',
  account_id: accountId,
  task_id: taskId,
  mode: 'live',
  url: 'https://hooks.example.com/vidgen',
  body: JSON.stringify(completionPayload),
  status: 'delivered',
  attempts_made: 1,
  created_at: createdAt,
  delivered_at: createdAt + 1,
  next_attempt_at: null,
  attempts: [
    {
      number: 1,
      round: 1,
      started_at: createdAt,
      duration_ms: 312,
      answer_status: 200,
      answer_body: 'ok',
      error: null,
    },
  ],
};

/** What one task has in addition to a task in a list. */
export const taskHistory = {
  request: {
    model: 'vidgen-2-5',
    callback_url: 'https://hooks.example.com/vidgen',
    input: {
      prompt: 'A paper boat crosses a sunlit lake.',
      generation_type: 'text-to-video',
      duration: 5,
      aspect_ratio: 'adaptive',
      resolution: '720p',
      generate_audio: true,
      watermark: false,
      web_search: false,
      return_last_frame: false,
    },
  },
  ignored: [],
  key: { id: keyId, name: 'Production', last_four: '9xTa' },
  created_by: null,
  request_id: 'req_9fJ2kQx7Lw0Zt4Ub',
  deadline_at: createdAt + 3600,
  attempts: [
    {
      number: 1,
      provider: 'preview',
      operation: 'op_7f3a',
      outcome: 'completed',
      detail: null,
      loss: null,
      output_seconds: 5,
      started_at: createdAt + 1,
      accepted_at: createdAt + 2,
      ended_at: createdAt + 95,
    },
  ],
  entries: [
    {
      ...ledgerEntry,
      id: '1043',
      number: 4,
      kind: 'reserve',
      source: 'available',
      target: 'reserved',
      amount: 40,
      balance_after: { available: 960, reserved: 40, spent: 0, suspended: 0 },
      task_id: taskId,
      note: null,
      reference: null,
    },
  ],
  delivery,
};

export const redemptionCode = {
  id: 'code_01kbwq3n7he9rv5t2m8xz4c6da',
  last_four: 'Q7ZN',
  amount: 500,
  mode: 'live',
  note: 'Workshop in March',
  status: 'open',
  created_at: createdAt,
  created_by: 'admin token',
  expires_at: createdAt + 90 * 86_400,
  redeemed_at: null,
  account_id: null,
} as const;
export const code = 'VG-7K2M-9XQ4-T0HB-C3WF-Q7ZN';

const { data: _, ...taskWithoutData } = adminTask;

export function failedTask(reason: FailedReason, state: RefundState) {
  const failure = {
    reason,
    part: null,
    sentence: failureMessage({ reason, part: null, ...state }),
  };
  return {
    ...taskWithoutData,
    status: 'failed',
    failed_reason: reason,
    billing_status: state.billingStatus,
    progress: 0.4,
    failure,
    refund_outcome: state.refundOutcome,
  };
}

export const listDescription = (schema: z.ZodType, item: object): ResponseDescription => ({
  description: 'A page, newest first.',
  schema,
  examples: { page: ['The last page', pageOf(item)] },
});
