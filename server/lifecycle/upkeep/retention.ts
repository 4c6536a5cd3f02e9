/**
 * Deletes what is older than the installation or its account keeps it. In slices, each a short
 * transaction of its own: creates never wait for more than one, and any process can continue.
 */

import { type KeyMode, keyModes } from '@vidgen/contract/models.ts';
import {
  type AccountRetention,
  listRetention,
  lockPosition,
  type PositionPart,
  savePosition,
} from '../../accounts/retention.ts';
import type { Transaction } from '../../database/database.ts';
import { databaseMs } from '../../database/database-clock.ts';
import { dayMs } from '../../process/clock.ts';
import { eraseRequests, haveTasks, lockErasableTasks } from '../../tasks/retention.ts';
import { idsSince } from '../../tasks/task-id.ts';
import { deliveryIdsSince, eraseBodies, haveDeliveries } from '../../webhooks/retention.ts';
import type { LifecycleContext } from '../context.ts';
import { eraseLocked } from './erase.ts';

export type RetentionSettings = Readonly<Record<'prompts' | 'deliveries' | 'tasks', number>>;

/** How many tasks or deliveries lost the part. */
export type RetentionCounts = Record<keyof RetentionSettings, number>;

const accountsPerPage = 200;
const rowsPerSlice = 100;
/** Of an account at once: a large account must not keep the others waiting. */
const slicesAtOnce = 50;
/** Then it is not the rows of an account that fail. */
const errorsMax = 10;

type RetentionOptions = {
  readonly sliceRows?: number;
  readonly slicesMax?: number;
  /** Ends it after the current slice; the next round continues. */
  readonly signal?: AbortSignal;
};

/**
 * Goes over all accounts, then again over those that have more, until none has. An account that
 * fails does not keep the others waiting; its error is thrown at the end. `days` are the
 * installation's; 0 keeps the part.
 */
export async function applyRetention(
  lifecycle: LifecycleContext,
  days: RetentionSettings,
  { sliceRows = rowsPerSlice, slicesMax = slicesAtOnce, signal }: RetentionOptions = {},
): Promise<RetentionCounts> {
  const nowMs = await databaseMs(lifecycle.db);
  const counts: RetentionCounts = { prompts: 0, deliveries: 0, tasks: 0 };
  const errors: unknown[] = [];
  /** Returns those that have more. */
  const runAll = async (slices: readonly Slice[]): Promise<Slice[]> => {
    const cut: Slice[] = [];
    for (const slice of slices) {
      try {
        const { rows, hasMore } = await runSlices(lifecycle, slice, { slicesMax, signal });
        counts[slice.part] += rows;
        if (hasMore) cut.push(slice);
      } catch (error) {
        if (errors.push(error) === errorsMax) throw error;
      }
    }
    return cut;
  };
  let cut: Slice[] = [];
  for (let afterId: string | null = null; !signal?.aborted; ) {
    const accounts = await listRetention(lifecycle.db, { afterId, limit: accountsPerPage });
    const slices = accounts.flatMap((account) => slicesOf(account, { days, nowMs, sliceRows }));
    cut.push(...(await runAll(await dueSlices(lifecycle, slices))));
    if (accounts.length < accountsPerPage) break;
    afterId = accounts.at(-1)!.id;
  }
  while (cut.length > 0 && !signal?.aborted) cut = await runAll(cut);
  if (Object.values(counts).some((rows) => rows > 0)) {
    lifecycle.log.info(counts, 'retention applied');
  }
  if (errors.length > 0) throw errors[0];
  return counts;
}

type Range = { readonly accountId: string; readonly afterId: string; readonly beforeId: string };
type TaskSlice = Range & { readonly part: 'prompts' | 'tasks'; readonly mode: KeyMode };
type Slice = (TaskSlice | (Range & { readonly part: 'deliveries' })) & { readonly rows: number };

function slicesOf(
  { id: accountId, days: own, positions }: AccountRetention,
  { days, nowMs, sliceRows: rows }: { days: RetentionSettings; nowMs: number; sliceRows: number },
): Slice[] {
  const kept = { ...days, ...own };
  const until = (part: keyof RetentionSettings) => new Date(nowMs - kept[part] * dayMs);
  const slices: Slice[] = [];
  for (const mode of keyModes) {
    const range = { accountId, mode, rows };
    // Tasks first: the prompts of a task that is erased need not be.
    if (kept.tasks > 0) {
      slices.push({ ...range, part: 'tasks', afterId: '', beforeId: idsSince(until('tasks')) });
    }
    if (kept.prompts > 0) {
      const afterId = positions[`prompts ${mode}`] ?? '';
      slices.push({ ...range, part: 'prompts', afterId, beforeId: idsSince(until('prompts')) });
    }
  }
  if (kept.deliveries > 0) {
    const beforeId = deliveryIdsSince(until('deliveries'));
    const afterId = positions.deliveries ?? '';
    slices.push({ accountId, part: 'deliveries', afterId, beforeId, rows });
  }
  return slices;
}

/** Those that have a row, by one statement for all accounts of a page. */
async function dueSlices({ db }: LifecycleContext, slices: readonly Slice[]): Promise<Slice[]> {
  const ofTasks = slices.filter((slice) => slice.part !== 'deliveries');
  const ofDeliveries = slices.filter((slice) => slice.part === 'deliveries');
  const found = [...(await haveTasks(db, ofTasks)), ...(await haveDeliveries(db, ofDeliveries))];
  return [...ofTasks, ...ofDeliveries].filter((_, at) => found[at]);
}

async function runSlices(
  { db }: LifecycleContext,
  slice: Slice,
  { slicesMax, signal }: { readonly slicesMax: number; readonly signal: AbortSignal | undefined },
): Promise<{ readonly rows: number; readonly hasMore: boolean }> {
  let rows = 0;
  for (let slices = 0; slices < slicesMax && !signal?.aborted; slices++) {
    const found = await db.transaction((tx) => run(tx, slice));
    rows += found;
    if (found < slice.rows) return { rows, hasMore: false };
  }
  return { rows, hasMore: true };
}

async function run(tx: Transaction, slice: Slice): Promise<number> {
  const { accountId, rows: limit } = slice;
  if (slice.part === 'tasks') {
    const tasks = await lockErasableTasks(tx, slice, { limit });
    await eraseLocked(tx, tasks);
    return tasks.length;
  }
  const part: PositionPart = slice.part === 'prompts' ? `prompts ${slice.mode}` : 'deliveries';
  const afterId = await lockPosition(tx, { accountId, part });
  if (afterId === null) return 0;
  if (slice.part === 'prompts') {
    const { tasks, lastId } = await eraseRequests(tx, { ...slice, afterId }, { limit });
    await savePosition(tx, { accountId, part, position: lastId });
    return tasks;
  }
  const { deliveries, lastId } = await eraseBodies(tx, { ...slice, afterId }, { limit });
  await savePosition(tx, { accountId, part, position: lastId });
  return deliveries;
}
