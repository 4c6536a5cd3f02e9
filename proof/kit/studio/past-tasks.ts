/**
 * Tasks of the past with all rows that they would have left: ledger entries, attempts, deliveries
 * and webhook attempts. Rows are computed in order and inserted through the constraints; the
 * invariant check proves them afterwards.
 */
import { randomBytes } from 'node:crypto';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { Transaction } from '../../../server/database/database.ts';
import type { BalanceKey } from '../../../server/ledger/ledger.ts';
import { newTaskId } from '../../../server/tasks/task-id.ts';

export type PastTask = {
  readonly at: Date;
  /** From creation to the end. */
  readonly seconds: number;
  readonly outcome:
    | 'completed'
    | 'provider_failed'
    | 'provider_rejected'
    | 'cancelled'
    | 'timed_out';
  readonly generation: Generation;
  readonly credits: number;
  readonly keyId: string;
  /** In the order they were tried; all but the last failed. */
  readonly providers: readonly string[];
  readonly callback: { readonly url: string; readonly isDelivered: boolean } | null;
  /** Whether the files are still there. */
  readonly isStored: boolean;
  readonly createdBy: string | null;
};

export type PastGrant = { readonly at: Date; readonly amount: number; readonly note: string };

type Row = Record<string, unknown>;
type Entry = Row & { readonly amount: number; readonly source: string; readonly target: string };

const resultDays = 7;
const webhookTriesMax = 5;
const after = (at: Date, seconds: number): string =>
  new Date(at.getTime() + seconds * 1000).toISOString();

/** Grants and tasks of one account in live mode, which has no entries yet. Returns task IDs. */
export async function insertPast(
  tx: Transaction,
  {
    accountId,
    grants,
    tasks,
  }: {
    readonly accountId: string;
    readonly grants: readonly PastGrant[];
    readonly tasks: readonly PastTask[];
  },
): Promise<string[]> {
  const ids = tasks.map(({ at }) => newTaskId(at.getTime()));
  const taskRows = tasks.map((task, index) => taskRow(task, ids[index]!, accountId));
  await insertRows(tx, 'tasks', taskRows);
  const attempts = tasks.flatMap((task, index) => attemptRows(task, ids[index]!));
  await insertRows(tx, 'attempts', attempts);
  const deliveries = tasks.flatMap((task, index) => deliveryRows(task, ids[index]!, accountId));
  await insertRows(
    tx,
    'deliveries',
    deliveries.map(({ delivery }) => delivery),
  );
  await insertRows(
    tx,
    'call_attempts',
    deliveries.flatMap(({ calls }) => calls),
  );
  const entries = [
    ...grants.map(grantEntry),
    ...tasks.flatMap((task, index) => entriesOf(task, ids[index]!)),
  ].sort((a, b) => a.created_at.localeCompare(b.created_at));
  await insertEntries(tx, { accountId, mode: 'live' }, entries);
  return ids;
}

/** Of a mode without entries. */
export async function insertPastGrants(
  tx: Transaction,
  balance: BalanceKey,
  grants: readonly PastGrant[],
): Promise<void> {
  await insertEntries(tx, balance, grants.map(grantEntry));
}

const grantEntry = ({ at, amount, note }: PastGrant): Entry & { readonly created_at: string } => ({
  ...{ created_at: at.toISOString(), kind: 'grant', source: 'outside', target: 'available' },
  ...{ amount, note, task_id: null },
});

const tableColumns = {
  ledger_entries: `account_id, mode, number, kind, source, target, amount, available_after,
    reserved_after, spent_after, suspended_after, task_id, note, reference, created_at`,
} as Readonly<Record<string, string>>;

async function insertRows(tx: Transaction, table: string, rows: readonly Row[]): Promise<void> {
  const columns = tableColumns[table];
  await tx.query(
    `insert into ${table} ${columns ? `(${columns})` : ''}
     select ${columns ?? '*'} from jsonb_populate_recordset(null::${table}, $1::jsonb)`,
    [JSON.stringify(rows)],
  );
}

function taskRow(task: PastTask, id: string, accountId: string): Row {
  const { at, seconds, outcome, generation, credits, keyId, callback, isStored } = task;
  const isCompleted = outcome === 'completed';
  const isStarted = task.providers.length > 0;
  return {
    ...{ id, account_id: accountId, key_id: keyId, mode: 'live', model: generation.model },
    ...{ generation, credits, callback_url: callback?.url ?? null, created_by: task.createdBy },
    status: isCompleted ? 'completed' : 'failed',
    billing_status: isCompleted ? 'charged' : 'refunded',
    failed_reason: isCompleted ? null : outcome,
    refused_part: outcome === 'provider_rejected' ? 'prompt' : null,
    created_at: at.toISOString(),
    deadline_at: after(at, 3600),
    submitted_at: isStarted ? after(at, 1) : null,
    finished_at: after(at, seconds),
    result: isCompleted
      ? { video: `${id}/1/video.mp4`, lastFrame: null, poster: `${id}/1/poster.jpg` }
      : null,
    expires_at: isCompleted ? after(at, resultDays * 86_400) : null,
    removed_at: isCompleted && !isStored ? after(at, resultDays * 86_400 + 60) : null,
    progress: isCompleted ? 1 : null,
    request_id: `req_${randomBytes(11).toString('hex')}`,
  };
}

const outcomes: Readonly<Record<PastTask['outcome'], string>> = {
  completed: 'completed',
  provider_failed: 'failed',
  provider_rejected: 'refused',
  cancelled: 'cancelled',
  timed_out: 'timed_out',
};
const details: Readonly<Partial<Record<PastTask['outcome'], string>>> = {
  provider_failed: 'The generation failed: internal error on the GPU worker.',
  provider_rejected: 'The prompt was flagged by the content filter.',
};

function attemptRows({ at, seconds, outcome, providers }: PastTask, taskId: string): Row[] {
  return providers.map((provider, index) => {
    const isLast = index === providers.length - 1;
    const started = 1 + index * 4;
    return {
      ...{ task_id: taskId, number: index + 1, provider, unanswered: false, uncollected: 0 },
      ...{ reference: `vg_${randomBytes(13).toString('hex')}`, stop_wanted: false },
      operation: isLast ? `${provider}-${randomBytes(6).toString('hex')}` : null,
      outcome: isLast ? outcomes[outcome] : 'throttled',
      detail: isLast ? (details[outcome] ?? null) : 'Rate limit exceeded; retry later.',
      asked_at: after(at, started),
      started_at: after(at, started),
      accepted_at: isLast ? after(at, started + 1) : null,
      ended_at: after(at, isLast ? seconds : started + 2),
    };
  });
}

function deliveryRows(
  { at, seconds, outcome, callback, generation }: PastTask,
  taskId: string,
  accountId: string,
): { readonly delivery: Row; readonly calls: Row[] }[] {
  if (!callback) return [];
  const { url, isDelivered } = callback;
  const random = Array.from(randomBytes(16), (byte) => (byte % 32).toString(32)).join('');
  const id = `msg_${(at.getTime() + seconds * 1000).toString(32).padStart(10, '0')}${random}`;
  const tries = isDelivered ? 1 : webhookTriesMax;
  const status = outcome === 'completed' ? 'completed' : 'failed';
  const delivery = {
    ...{ id, account_id: accountId, task_id: taskId, mode: 'live', url, round: 1 },
    ...{ attempts_made: tries, attempts_before_round: 0, created_at: after(at, seconds) },
    body: JSON.stringify({ id: taskId, model: generation.model, status }),
    status: isDelivered ? 'delivered' : 'exhausted',
    delivered_at: isDelivered ? after(at, seconds + 1) : null,
  };
  const calls = Array.from({ length: tries }, (_, index) => ({
    ...{ delivery_id: id, number: index + 1, round: 1 },
    started_at: after(at, seconds + (4 ** (index + 1) - 4)),
    duration_ms: isDelivered ? 84 + (at.getTime() % 160) : 1_240,
    answer_status: isDelivered ? 200 : 503,
    answer_body: isDelivered ? '{"received":true}' : 'upstream connect error',
  }));
  return [{ delivery, calls }];
}

function entriesOf({ at, seconds, outcome, credits }: PastTask, taskId: string) {
  const isCompleted = outcome === 'completed';
  const shared = { amount: credits, task_id: taskId, note: null };
  return [
    {
      ...{ ...shared, created_at: at.toISOString(), kind: 'reserve' },
      ...{ source: 'available', target: 'reserved' },
    },
    {
      ...{ ...shared, created_at: after(at, seconds), kind: isCompleted ? 'charge' : 'refund' },
      ...{ source: 'reserved', target: isCompleted ? 'spent' : 'available' },
    },
  ];
}

async function insertEntries(
  tx: Transaction,
  { accountId, mode }: BalanceKey,
  entries: readonly Entry[],
): Promise<void> {
  if (entries.length === 0) return;
  const sums = { available: 0, reserved: 0, spent: 0 } as Record<string, number>;
  const rows = entries.map((entry, index) => {
    const { amount, source, target } = entry;
    if (source in sums) sums[source]! -= amount;
    sums[target]! += amount;
    return {
      ...{ ...entry, account_id: accountId, mode, number: index + 1, reference: null },
      ...{ available_after: sums.available, reserved_after: sums.reserved },
      ...{ spent_after: sums.spent, suspended_after: 0 },
    };
  });
  await insertRows(tx, 'ledger_entries', rows);
  await tx.query(
    `update balances set available = $2, reserved = $3, spent = $4, last_entry = $5,
       granted = $2::bigint + $3::bigint + $4::bigint
     where account_id = $1 and mode = $6`,
    [accountId, sums.available, sums.reserved, sums.spent, rows.length, mode],
  );
}
