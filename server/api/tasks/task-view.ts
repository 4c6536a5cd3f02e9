/** Tasks as JSON for members and administrators, and samples for the OpenAPI document. */
import {
  type AdminTask,
  type AdminTaskDetail,
  type Delivery,
  promptPreviewCharacters,
} from '@vidgen/contract/admin-tasks.ts';
import { notFound } from '@vidgen/contract/api-error.ts';
import type { ContentCredentials } from '@vidgen/contract/content-credentials.ts';
import { failureMessage, type RefundState } from '@vidgen/contract/failure-messages.ts';
import { microsPerUnit } from '@vidgen/contract/price.ts';
import type { FailedReason } from '@vidgen/contract/task-status.ts';
import type { ApiKey } from '../../accounts/keys/api-key.ts';
import type { Entry } from '../../ledger/entries.ts';
import type { LifecycleContext } from '../../lifecycle/context.ts';
import { isPreview, previewNames } from '../../providers/preview/preview.ts';
import type { Attempt } from '../../tasks/attempts.ts';
import { findTasksAt } from '../../tasks/find-attempts.ts';
import type { Task } from '../../tasks/task.ts';
import { failureView, type ResultUrl, requestOf, taskStatusView } from '../../tasks/view.ts';
import { entrySample, entryView } from '../credits/credits.ts';
import type { ApiRequest, ApiServices } from '../http/handler.ts';
import { accountId, completedTask, createdAt, keyId, taskId } from '../http/samples.ts';
import { unixSeconds, unixSecondsOrNull } from '../http/timestamps.ts';
import { deliverySample } from './deliveries.ts';

export const taskSample = {
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

/** What one task has in addition to a task in a list. */
export const historySample = {
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
  revenue: 0.4,
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
      cost: { amount: 0.42, currency: 'USD', source: 'rule' },
      output_seconds: 5,
      started_at: createdAt + 1,
      accepted_at: createdAt + 2,
      ended_at: createdAt + 95,
    },
  ],
  entries: [
    {
      ...entrySample,
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
  delivery: deliverySample,
  credentials: { state: 'signed', detail: null },
};

const { data: _, ...taskWithoutData } = taskSample;

export function failedSample(reason: FailedReason, state: RefundState) {
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

export async function adminTaskViews(
  { db, resultUrl }: LifecycleContext,
  tasks: readonly Task[],
): Promise<AdminTask[]> {
  const taskIds = tasks.map(({ id }) => id);
  const previewed = await findTasksAt(db, { taskIds, providers: previewNames });
  return tasks.map((task) => adminTaskView(task, { resultUrl, isPreview: previewed.has(task.id) }));
}

/** The task that `:id` names, of any account. */
export async function findTask(services: ApiServices, request: ApiRequest): Promise<Task> {
  const task = await services.tasks.find(request.params.id!);
  if (task) return task;
  throw notFound('No task found with this ID.');
}

function adminTaskView(
  task: Task,
  { resultUrl, isPreview }: { readonly resultUrl: ResultUrl; readonly isPreview: boolean },
): AdminTask {
  return {
    ...taskStatusView(task, resultUrl),
    account_id: task.accountId,
    key_id: task.keyId,
    mode: task.mode,
    preview: isPreview,
    prompt: promptPreview(task.generation.prompt),
    generation_type: task.generation.generationType,
    resolution: task.generation.resolution,
    duration: task.generation.duration,
    callback_url: task.callbackUrl,
    submitted_at: unixSecondsOrNull(task.submittedAt),
    finished_at: unixSecondsOrNull(task.finishedAt),
    progress: task.progress,
    failure: failureView(task),
    poster_url: posterUrl(task, resultUrl),
    refund_outcome: task.refundOutcome,
  };
}

const posterUrl = (task: Task, resultUrl: ResultUrl): string | null =>
  task.result?.poster && !task.expired ? resultUrl(task, task.result.poster) : null;

/** Cuts by code points, so that no emoji is cut in half. */
const promptPreview = (prompt: string): string =>
  prompt.length <= promptPreviewCharacters
    ? prompt
    : Array.from(prompt.slice(0, 2 * promptPreviewCharacters))
        .slice(0, promptPreviewCharacters)
        .join('');

type TaskHistory = {
  readonly key: Pick<ApiKey, 'id' | 'name' | 'lastFour'>;
  readonly attempts: readonly Attempt[];
  readonly entries: readonly Entry[];
  readonly delivery: Delivery | null;
  /** What a credit earned when the task was charged; null if it was not, or nothing says it. */
  readonly creditMicros: number | null;
};

type Shown = { readonly isAdmin: boolean };

/** What the credits earned, if the task was charged live. */
function revenueOf(task: Task, creditMicros: number | null): number {
  const isSold = task.mode === 'live' && task.billingStatus === 'charged';
  return isSold ? (task.credits * (creditMicros ?? 0)) / microsPerUnit : 0;
}

const costView = ({ outcome, costMicros, costSource }: Attempt, currency: string) =>
  outcome === null || outcome === 'refused' || outcome === 'throttled'
    ? null
    : {
        amount: costMicros === null ? null : costMicros / microsPerUnit,
        currency,
        source: costSource,
      };

function credentialsView({ result }: Task): ContentCredentials | null {
  if (!result?.credentials) return null;
  const { state, detail = null } = result.credentials;
  return { state, detail };
}

/** Members see when a provider was tried and with what result, but not which provider. */
export function taskDetailView(
  task: Task,
  history: TaskHistory,
  { settings, resultUrl, isAdmin }: Pick<LifecycleContext, 'settings' | 'resultUrl'> & Shown,
): AdminTaskDetail {
  return {
    ...adminTaskView(task, {
      resultUrl,
      isPreview: isPreview(history.attempts.at(-1)?.provider ?? ''),
    }),
    revenue:
      isAdmin && settings.creditMicros !== null ? revenueOf(task, history.creditMicros) : null,
    request: requestOf(task),
    ignored: [...(task.generation.ignored ?? [])],
    key: { id: history.key.id, name: history.key.name, last_four: history.key.lastFour },
    created_by: task.createdBy,
    request_id: task.requestId,
    deadline_at: unixSeconds(task.deadlineAt),
    attempts: history.attempts.map((attempt) => ({
      number: attempt.number,
      provider: isAdmin ? attempt.provider : null,
      operation: isAdmin ? attempt.operation : null,
      outcome: attempt.outcome,
      detail: isAdmin ? attempt.detail : null,
      loss: isAdmin ? attempt.loss : null,
      cost: isAdmin ? costView(attempt, settings.currency) : null,
      output_seconds: attempt.outputSeconds,
      started_at: unixSeconds(attempt.startedAt),
      accepted_at: unixSecondsOrNull(attempt.acceptedAt),
      ended_at: unixSecondsOrNull(attempt.endedAt),
    })),
    entries: history.entries.map(entryView),
    delivery: history.delivery,
    credentials: credentialsView(task),
  };
}
