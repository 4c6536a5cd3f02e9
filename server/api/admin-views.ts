/** What operators are shown of accounts, keys, credits, tasks and deliveries (contract/admin-*). */
import type {
  Account as AccountShown,
  ApiKey as KeyShown,
  LedgerEntry,
} from '@vidgen/contract/admin-accounts.ts';
import type { AdminTask, Delivery as DeliveryShown } from '@vidgen/contract/admin-tasks.ts';
import type { KeyMode } from '@vidgen/contract/models.ts';
import type { Account } from '../accounts/account.ts';
import type { ApiKey } from '../accounts/api-key.ts';
import type { Balance } from '../ledger/books.ts';
import type { Entry } from '../ledger/statement.ts';
import type { Task } from '../tasks/task.ts';
import { type AddressOf, statusAnswer } from '../tasks/view.ts';
import type { DeliveryPage } from '../webhooks/delivery.ts';

const seconds = (at: Date): number => Math.floor(at.getTime() / 1000);
const secondsOrNull = (at: Date | null): number | null => (at === null ? null : seconds(at));

export function accountView(account: Account, balances: Record<KeyMode, Balance>): AccountShown {
  const part = ({ available, reserved, suspended }: Balance) => ({
    available,
    reserved,
    suspended,
  });
  return {
    id: account.id,
    name: account.name,
    demo: account.demo,
    created_at: seconds(account.createdAt),
    closed_at: secondsOrNull(account.closedAt),
    webhook_secret: account.webhookSecret,
    balance: { live: part(balances.live), test: part(balances.test) },
  };
}

export function keyView(key: ApiKey): KeyShown {
  return {
    id: key.id,
    account_id: key.accountId,
    name: key.name,
    mode: key.mode,
    permissions: [...key.permissions],
    prefix: key.prefix,
    last_four: key.lastFour,
    created_at: seconds(key.createdAt),
    expires_at: key.expiresAt?.toISOString() ?? null,
    revoked_at: secondsOrNull(key.revokedAt),
    last_used_at: secondsOrNull(key.lastUsedAt),
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
    created_at: seconds(entry.createdAt),
  };
}

export function adminTaskView(task: Task, addressOf: AddressOf): AdminTask {
  return {
    ...statusAnswer(task, addressOf),
    account_id: task.accountId,
    mode: task.mode,
    callback_url: task.callbackUrl,
    progress: task.progress,
    refund_outcome: task.refundOutcome,
  };
}

export function deliveryView(
  delivery: DeliveryPage['items'][number],
  nextAttemptAt: Date | null,
): DeliveryShown {
  return {
    id: delivery.id,
    account_id: delivery.accountId,
    task_id: delivery.taskId,
    mode: delivery.mode,
    url: delivery.url,
    status: delivery.status,
    attempts_made: delivery.attemptsMade,
    created_at: seconds(delivery.createdAt),
    delivered_at: secondsOrNull(delivery.deliveredAt),
    next_attempt_at: secondsOrNull(nextAttemptAt),
    attempts: delivery.attempts.toReversed().map((attempt) => ({
      number: attempt.number,
      round: attempt.round,
      started_at: seconds(attempt.startedAt),
      duration_ms: attempt.durationMs,
      answer_status: attempt.answerStatus,
      answer_body: attempt.answerBody,
      error: attempt.error,
    })),
  };
}
