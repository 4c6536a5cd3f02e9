/**
 * A refund that could not be booked, settled by a person: given back after all, or written off. The
 * credits leave `suspended` only when they are given back (Decisions, "refund_failed").
 */
import { recordAction } from '../accounts/operator-actions.ts';
import { openBooks } from '../ledger/books.ts';
import { Refusal } from '../refusal.ts';
import { settleRefund } from '../tasks/rows.ts';
import type { Task } from '../tasks/task.ts';
import type { Lifecycle } from './context.ts';

export async function settleRefundByHand(
  { db }: Lifecycle,
  settlement: {
    readonly task: Task;
    readonly outcome: 'refunded' | 'written_off';
    readonly note: string;
    readonly actor: string;
  },
): Promise<Task> {
  const { task, outcome, note, actor } = settlement;
  const { id: taskId, accountId, mode, credits } = task;
  return await db.transaction(async (tx) => {
    const books = await openBooks(tx, [task]);
    const settled = await settleRefund(tx, { id: taskId, outcome });
    if (!settled) throw nothingToSettle(task);
    if (outcome === 'refunded') books.release({ accountId, mode, taskId, credits }, note);
    await books.write();
    const detail = { outcome, note, credits };
    await recordAction(tx, { actor, action: 'refund.settle', subject: taskId, detail });
    return settled;
  });
}

const nothingToSettle = ({ id, billingStatus, refundOutcome }: Task): Refusal =>
  new Refusal(
    'invalid_request',
    refundOutcome === null
      ? `The task ${id} is ${billingStatus}: only one whose refund failed can be settled.`
      : `The refund of ${id} is settled already: ${refundOutcome}.`,
  );
