/**
 * Resolves a refund that could not be booked, as an admin decides: refunded after all, or written
 * off. Credits leave `suspended` only when they are refunded.
 */

import { type ApiError, invalidRequest } from '@vidgen/contract/api-error.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { subtractKeySpending } from '../../accounts/keys/key-spending.ts';
import type { Database } from '../../database/database.ts';
import { lockBalances } from '../../ledger/ledger.ts';
import { resolveNotice } from '../../messages/notice.ts';
import { countOpenMatters } from '../../tasks/retention.ts';
import { settleRefund } from '../../tasks/store.ts';
import type { Task } from '../../tasks/task.ts';

/** `transaction` opens the caller's transaction, which judges the caller's right. */
export async function resolveFailedRefund(
  transaction: Database['transaction'],
  settlement: {
    readonly task: Task;
    readonly outcome: 'refunded' | 'written_off';
    readonly note: string;
    readonly actor: string;
  },
): Promise<Task> {
  const { task, outcome, note, actor } = settlement;
  const { id: taskId, accountId, mode, credits } = task;
  return await transaction(async (tx) => {
    const ledger = await lockBalances(tx, [task]);
    const settled = await settleRefund(tx, { id: taskId, outcome });
    if (!settled) throw nothingToSettle(task);
    if (outcome === 'refunded') {
      ledger.release({ accountId, mode, taskId, credits }, note);
      await subtractKeySpending(tx, [task]);
    }
    await ledger.flush();
    const { refunds } = await countOpenMatters(tx, accountId);
    if (refunds === 0) await resolveNotice(tx, { kind: 'refund_waiting', accountId, subject: '' });
    const detail = { outcome, note, credits };
    await recordAudit(tx, { actor, action: 'refund.settle', subject: taskId, detail, accountId });
    return settled;
  });
}

const nothingToSettle = ({ id, billingStatus, refundOutcome }: Task): ApiError =>
  invalidRequest(
    refundOutcome === null
      ? `Task ${id} is ${billingStatus}; only failed refunds can be settled.`
      : `The refund for ${id} was already settled as ${refundOutcome}.`,
  );
