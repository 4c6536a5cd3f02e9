/** Work of every worker process that no task waits for: old rows, notices and mail. */

import { sweepSessions } from '../accounts/people/session.ts';
import { deleteOldSignInFailures } from '../accounts/people/sign-in-throttle.ts';
import { lockActivityPosition, recordActivity } from '../accounts/search-accounts.ts';
import type { Config } from '../config/config.ts';
import type { Transaction } from '../database/database.ts';
import { findChangedAccounts } from '../ledger/changed-accounts.ts';
import { findBalances } from '../ledger/ledger.ts';
import { addLedgerDays } from '../ledger/ledger-days.ts';
import type { LifecycleContext } from '../lifecycle/context.ts';
import { announceNotices } from '../lifecycle/notices/announce-notices.ts';
import { type MessageDeps, sendMessages } from '../lifecycle/notices/send-messages.ts';
import { canaryProviders, watchCanaries } from '../lifecycle/notices/watch-canaries.ts';
import {
  watchBalances,
  watchBreakers,
  watchCaps,
  watchEndpoints,
} from '../lifecycle/notices/watch-conditions.ts';
import { watchMargin } from '../lifecycle/notices/watch-margin.ts';
import { continueErasures } from '../lifecycle/upkeep/erase-account.ts';
import { applyRetention } from '../lifecycle/upkeep/retention.ts';
import { sweepResults } from '../lifecycle/upkeep/sweep.ts';
import { deleteOldNotices } from '../messages/notice.ts';
import { deleteOldMessages, outboxChannel } from '../messages/outbox.ts';
import { monotonicMs, nowMs, startDeadline, startInterval } from '../process/clock.ts';
import { sweepRateWindows } from '../rate-limits/create-window.ts';
import type { Uploads } from '../storage/uploads.ts';
import { deleteExpiredKeys } from '../tasks/idempotency.ts';
import { addInstallationDay } from '../tasks/installation-days.ts';
import { foldTaskCounts } from '../tasks/task-counts.ts';
import { findLastTaskIds } from '../tasks/task-list.ts';
import { addTaskWords } from '../tasks/task-words.ts';
import { deleteOldUndelivered } from '../tasks/undelivered-creates.ts';
import { addUsageDay } from '../tasks/usage-days.ts';
import type { Log } from '../telemetry/log.ts';
import { deleteOldReturns } from '../top-ups/held-returns.ts';
import { foldDeliveryCounts } from '../webhooks/delivery.ts';

const sweepMs = 60_000;
/** How late searches and sorted lists may be. */
const searchMs = 5_000;
const sweepResultsMs = 3600_000;
const retentionMs = 600_000;

type MaintenanceOptions = {
  readonly config: Config;
  readonly canaries: Readonly<Record<string, string>> | undefined;
  readonly uploads: Uploads;
};

export function startMaintenance(
  lifecycle: LifecycleContext,
  { config, canaries = {}, uploads }: MaintenanceOptions,
): { stop(): void }[] {
  const { db, log } = lifecycle;
  const logErrors = errorLogger(log, 'maintenance failed, retrying');
  const sweepRows = logErrors(async () => {
    while (await deleteExpiredKeys(db));
    await deleteOldUndelivered(db);
    await deleteOldReturns(db);
    await deleteOldMessages(db);
    await deleteOldNotices(db);
    await db.transaction((tx) => sweepRateWindows(tx));
    await db.transaction(async (tx) => {
      await sweepSessions(tx);
      await deleteOldSignInFailures(tx);
    });
  });
  const addCounts = logErrors(async () => {
    await foldTaskCounts(db);
    await foldDeliveryCounts(db);
    await db.transaction((tx) => addUsageDay(tx));
    while (await db.transaction((tx) => addInstallationDay(tx)));
    while (await db.transaction((tx) => addLedgerDays(tx)));
  });
  const prepareSearches = logErrors(async () => {
    while (await db.transaction((tx) => copyAccountActivity(tx)));
    while (await db.transaction((tx) => addTaskWords(tx)));
  });
  for (const model of Object.keys(canaries)) {
    if (canaryProviders(lifecycle, model).length > 0) continue;
    log.warn({ model }, 'canary has no provider to test');
  }
  const watchAllCanaries = logErrors(async () => {
    const now = new Date(nowMs());
    await watchCanaries(lifecycle, { canaries, uploads, now });
  });
  const erase = logErrors(() => continueErasures(lifecycle));
  const stopping = new AbortController();
  const retain = async () => {
    // What is left is due at once, with all accounts again.
    using deadline = startDeadline(retentionMs, [stopping.signal]);
    await applyRetention(lifecycle, config.retentionDays, deadline);
  };
  return [
    startInterval(sweepMs, sweepRows),
    startInterval(sweepMs, addCounts),
    startInterval(sweepMs, watchAllCanaries),
    startInterval(searchMs, prepareSearches),
    startInterval(sweepMs, erase),
    startInterval(sweepMs, logErrors(atMostEvery(sweepResultsMs, () => sweepResults(lifecycle)))),
    startInterval(sweepMs, logErrors(atMostEvery(retentionMs, retain))),
    { stop: () => stopping.abort() },
  ];
}

const errorLogger = (log: Log, message: string) => (work: () => Promise<unknown>) => async () => {
  await work().catch((error) => log.warn({ error }, message));
};

/** Leaves out runs within `ms` of the start of the last one that succeeded. */
function atMostEvery(ms: number, work: () => Promise<unknown>): () => Promise<void> {
  let dueMs = 0;
  return async () => {
    const startedMs = monotonicMs();
    if (startedMs < dueMs) return;
    await work();
    dueMs = startedMs + ms;
  };
}

const watchMs = 15_000;
/** What changes once a day. */
const watchDaysMs = 10 * 60_000;
const sendMs = 5_000;

/** Watches conditions, and sends what they and others have written to the outbox. */
export async function startMessages(
  deps: MessageDeps,
  lifecycle: Pick<LifecycleContext, 'providers' | 'db' | 'catalog' | 'settings'>,
): Promise<{ stop(): Promise<void> }> {
  const { db, log } = deps;
  const { providers } = lifecycle;
  const watchDays = atMostEvery(watchDaysMs, () => watchMargin(lifecycle));
  const logErrors = errorLogger(log, 'messages not sent, retrying');
  const watch = logErrors(async () => {
    await watchBalances(db);
    await watchBreakers(db, providers.health());
    await watchEndpoints(db);
    await watchCaps(db);
    await watchDays();
  });
  let sending: Promise<void> | undefined;
  let isWanted = false;
  // A message that is written while others are sent is sent after them.
  const send = async () => {
    isWanted = true;
    sending ??= drain().finally(() => {
      sending = undefined;
    });
    await sending;
  };
  const drain = logErrors(async () => {
    while (isWanted) {
      isWanted = false;
      await announceNotices(deps);
      await sendMessages(deps);
    }
  });
  const listening = await db.listen(outboxChannel, () => void send());
  const timers = [startInterval(watchMs, watch), startInterval(sendMs, send)];
  return {
    async stop() {
      for (const timer of timers) timer.stop();
      await listening.stop();
      await sending;
    },
  };
}

/**
 * Copies balances and newest tasks for the sorted list of accounts, in slices. Returns whether
 * there is more to copy. One process copies at a time.
 */
export async function copyAccountActivity(tx: Transaction): Promise<boolean> {
  const position = await lockActivityPosition(tx);
  if (position === null) return false;
  // Every task reserves credits, so an account with a new task has a new entry.
  const changed = await findChangedAccounts(tx, { position });
  const balances = await findBalances(tx, changed.accountIds);
  const lastTaskIds = await findLastTaskIds(tx, changed.accountIds);
  const activities = changed.accountIds.map((accountId) => ({
    accountId,
    available: balances.get(accountId)?.live.available ?? 0,
    lastTaskId: lastTaskIds.get(accountId) ?? '',
  }));
  await recordActivity(tx, { activities, position: changed.position });
  return changed.hasMore;
}
