/**
 * Erases an account: people, keys and endpoint at once, tasks, deliveries and files in slices. The
 * state is in the database, so that after a crash any worker continues. Ledger and usage stay.
 */

import { invalidRequest } from '@vidgen/contract/api-error.ts';
import { keyModes } from '@vidgen/contract/models.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { finishErasure, listErasures, startErasure } from '../../accounts/erase-account.ts';
import type { Transaction } from '../../database/database.ts';
import { setBalanceAlert } from '../../ledger/balance-alerts.ts';
import { closeBalances } from '../../ledger/ledger.ts';
import { eraseMessages } from '../../messages/notice.ts';
import { hasJobs } from '../../queue/backlog.ts';
import { copyFolder, uploadFolder } from '../../storage/upload-urls.ts';
import { deleteIdempotencyKeys } from '../../tasks/idempotency.ts';
import {
  countOpenMatters,
  haveTasks,
  lockErasableTasks,
  type TaskRange,
} from '../../tasks/retention.ts';
import { anonymizeCheckouts } from '../../top-ups/checkouts.ts';
import type { LifecycleContext } from '../context.ts';
import { eraseLocked } from './erase.ts';

const rowsPerSlice = 100;

/**
 * Begins the erasure in the caller's transaction. Throws `invalid_request` while tasks are in
 * progress or refunds are to be resolved: their credits would be lost. Without effect if it has
 * begun already.
 */
export async function eraseAccount(
  tx: Transaction,
  { accountId, actor }: { readonly accountId: string; readonly actor: string },
): Promise<void> {
  // Locks the balances before tasks are counted: no create can be accepted in between.
  await closeBalances(tx, accountId);
  const { unfinished, refunds } = await countOpenMatters(tx, accountId);
  if (unfinished > 0) {
    const rule = `The account has tasks in progress (${unfinished})`;
    throw invalidRequest(`${rule}; cancel them, or wait until they have ended.`);
  }
  if (refunds > 0) {
    const rule = `The account has refunds that are not resolved (${refunds})`;
    throw invalidRequest(`${rule}; resolve them first.`);
  }
  const people = await startErasure(tx, accountId);
  if (people === null) return;
  await anonymizeCheckouts(tx, accountId);
  await setBalanceAlert(tx, { accountId, threshold: null });
  await eraseMessages(tx, { accountId, people });
  await recordAudit(tx, { actor, action: 'account.erase', subject: accountId });
}

/**
 * Continues every erasure that has begun, and ends those that have nothing left to erase. One that
 * fails does not keep the others waiting; its error is thrown at the end.
 */
export async function continueErasures(
  lifecycle: LifecycleContext,
  { sliceRows = rowsPerSlice }: { readonly sliceRows?: number } = {},
): Promise<void> {
  const errors: unknown[] = [];
  for (const accountId of await listErasures(lifecycle.db)) {
    await continueErasure(lifecycle, { accountId, sliceRows }).catch((error) => errors.push(error));
  }
  if (errors.length > 0) throw errors[0];
}

type Erasure = { readonly accountId: string; readonly sliceRows: number };

async function continueErasure(lifecycle: LifecycleContext, erasure: Erasure): Promise<void> {
  const { db } = lifecycle;
  const { accountId } = erasure;
  await eraseRows(lifecycle, erasure);
  await deleteUploads(lifecycle, accountId);
  // Tasks that another transaction had locked, and jobs that delete the files of erased ones.
  const left = await haveTasks(db, rangesOf(accountId));
  if (left.includes(true) || (await hasJobs(db, accountId))) return;
  await db.transaction(async (tx) => {
    if (!(await finishErasure(tx, accountId))) return;
    await recordAudit(tx, { actor: 'vidgen', action: 'account.erased', subject: accountId });
  });
}

const rangesOf = (accountId: string): TaskRange[] =>
  keyModes.map((mode) => ({ accountId, mode, afterId: '', beforeId: '~' }));

async function eraseRows(
  { db }: LifecycleContext,
  { accountId, sliceRows: limit }: Erasure,
): Promise<void> {
  for (const range of rangesOf(accountId)) {
    const eraseSlice = async (tx: Transaction) => {
      const tasks = await lockErasableTasks(tx, range, { limit });
      await eraseLocked(tx, tasks);
      return tasks.length;
    };
    while ((await db.transaction(eraseSlice)) > 0);
  }
  while ((await deleteIdempotencyKeys(db, accountId)) > 0);
}

async function deleteUploads({ storage }: LifecycleContext, accountId: string): Promise<void> {
  for (const folder of [uploadFolder(accountId), copyFolder(accountId)]) {
    await storage.remove(await Array.fromAsync(storage.list(folder), ({ key }) => key));
  }
}
