/**
 * Accounts, keys, ledger entries, tasks and deliveries as JSON (contract/admin-*). What only
 * administrators may see is left out here and nowhere else.
 */
import type {
  Account as AccountView,
  ApiKey as ApiKeyView,
  LedgerEntry,
  Retention,
} from '@vidgen/contract/admin-accounts.ts';
import {
  type AdminTask,
  type AdminTaskDetail,
  type DeliveryAttempt as DeliveryAttemptView,
  type Delivery as DeliveryView,
  promptPreviewCharacters,
} from '@vidgen/contract/admin-tasks.ts';
import { failureMessage, type TaskFailureView } from '@vidgen/contract/failure-messages.ts';
import type { KeyMode } from '@vidgen/contract/models.ts';
import type { Account } from '../../accounts/account.ts';
import type { ApiKey } from '../../accounts/keys/api-key.ts';
import type { KeySpending } from '../../accounts/keys/key-spending.ts';
import type { RetentionDays } from '../../accounts/retention.ts';
import type { Entry } from '../../ledger/entries.ts';
import type { Balance } from '../../ledger/ledger.ts';
import { previewNames } from '../../providers/preview/preview.ts';
import type { Attempt } from '../../tasks/attempts.ts';
import type { Task } from '../../tasks/task.ts';
import { type ResultUrl, requestOf, taskStatusView } from '../../tasks/view.ts';
import type { DeliveryAttempt, DeliveryPage } from '../../webhooks/list-deliveries.ts';
import { unixSeconds, unixSecondsOrNull } from '../http/timestamps.ts';

export function accountView(
  account: Account,
  options: {
    balances: Record<KeyMode, Balance>;
    includeSecret: boolean;
    isAdmin: boolean;
  },
): AccountView {
  const { balances, includeSecret, isAdmin } = options;
  const balanceView = ({ available, reserved, suspended }: Balance) => ({
    available,
    reserved,
    suspended,
  });
  return {
    id: account.id,
    name: account.name,
    demo: account.demo,
    created_at: unixSeconds(account.createdAt),
    suspended_at: unixSecondsOrNull(account.suspendedAt),
    suspension_note: isAdmin ? account.suspensionNote : null,
    closed_at: unixSecondsOrNull(account.closedAt),
    erasure_started_at: unixSecondsOrNull(account.erasureStartedAt),
    erased_at: unixSecondsOrNull(account.erasedAt),
    webhook_secret: includeSecret ? account.webhookSecret : null,
    webhook_url: account.webhookUrl,
    retention: retentionView(account.retention),
    limits: {
      creates_per_minute: account.createsPerMinuteMax,
      running_tasks: account.runningTasksMax,
    },
    balance: { live: balanceView(balances.live), test: balanceView(balances.test) },
  };
}

const retentionView = ({ prompts, deliveries, tasks, files }: RetentionDays): Retention => ({
  prompts_days: prompts ?? null,
  deliveries_days: deliveries ?? null,
  tasks_days: tasks ?? null,
  files_days: files ?? null,
});

export function keyView(
  key: ApiKey,
  { credits30Days, spending }: { credits30Days: number; spending: KeySpending | null },
): ApiKeyView {
  return {
    id: key.id,
    account_id: key.accountId,
    name: key.name,
    mode: key.mode,
    permissions: [...key.permissions],
    prefix: key.prefix,
    last_four: key.lastFour,
    created_at: unixSeconds(key.createdAt),
    expires_at: key.expiresAt?.toISOString() ?? null,
    revoked_at: unixSecondsOrNull(key.revokedAt),
    last_used_at: unixSecondsOrNull(key.lastUsedAt),
    created_by: key.createdBy,
    spending_cap: spending && {
      credits: spending.cap,
      period: spending.period,
      used: spending.used,
      renews_at: unixSecondsOrNull(spending.renewsAt),
    },
    credits_30_days: credits30Days,
  };
}

export function entryView(entry: Entry): LedgerEntry {
  return {
    id: String(entry.id),
    account_id: entry.accountId,
    mode: entry.mode,
    number: entry.number,
    kind: entry.kind,
    source: entry.source as LedgerEntry['source'],
    target: entry.target as LedgerEntry['target'],
    amount: entry.amount,
    balance_after: entry.after,
    task_id: entry.taskId,
    note: entry.note,
    reference: entry.reference,
    created_at: unixSeconds(entry.createdAt),
  };
}

export function adminTaskView(
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
  readonly delivery: DeliveryView | null;
};

const isPreviewed = (attempts: readonly Attempt[]): boolean => {
  const provider = attempts.at(-1)?.provider;
  return previewNames.some((name) => name === provider);
};

/** Members see when a provider was tried and with what result, but not which provider. */
export function taskDetailView(
  task: Task,
  history: TaskHistory,
  { resultUrl, isAdmin }: { resultUrl: ResultUrl; isAdmin: boolean },
): AdminTaskDetail {
  return {
    ...adminTaskView(task, { resultUrl, isPreview: isPreviewed(history.attempts) }),
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
      output_seconds: attempt.outputSeconds,
      started_at: unixSeconds(attempt.startedAt),
      accepted_at: unixSecondsOrNull(attempt.acceptedAt),
      ended_at: unixSecondsOrNull(attempt.endedAt),
    })),
    entries: history.entries.map(entryView),
    delivery: history.delivery,
  };
}

/** Only for people: the task of the contract has the reason alone. */
function failureView(task: Task): TaskFailureView | null {
  const { failedReason: reason, rejectedPart: part } = task;
  if (reason === null) return null;
  return { reason, part, sentence: failureMessage({ ...task, reason, part }) };
}

export function deliveryView(
  delivery: DeliveryPage['items'][number],
  nextAttemptAt: Date | null,
): DeliveryView {
  return {
    id: delivery.id,
    account_id: delivery.accountId,
    task_id: delivery.taskId,
    mode: delivery.mode,
    url: delivery.url,
    body: delivery.body,
    status: delivery.status,
    attempts_made: delivery.attemptsMade,
    created_at: unixSeconds(delivery.createdAt),
    delivered_at: unixSecondsOrNull(delivery.deliveredAt),
    next_attempt_at: unixSecondsOrNull(nextAttemptAt),
    attempts: delivery.attempts.toReversed().map(deliveryAttemptView),
  };
}

export const deliveryAttemptView = (attempt: DeliveryAttempt): DeliveryAttemptView => ({
  number: attempt.number,
  round: attempt.round,
  started_at: unixSeconds(attempt.startedAt),
  duration_ms: attempt.durationMs,
  answer_status: attempt.responseStatus,
  answer_body: attempt.responseBody,
  error: attempt.error,
});
