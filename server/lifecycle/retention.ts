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
} from '../accounts/retention.ts';
import type { Transaction } from '../database/database.ts';
import { databaseMs } from '../database/database-clock.ts';
import { eraseRequests, haveTasks, lockErasableTasks } from '../tasks/retention.ts';
import { idsSince } from '../tasks/task-id.ts';
import { deliveryIdsSince, eraseBodies, haveDeliveries } from '../webhooks/retention.ts';
import type { LifecycleContext } from './context.ts';
import { eraseLocked } from './erase.ts';

export type RetentionSettings = Readonly<Record<'prompts' | 'deliveries' | 'tasks', number>>;

/** How many tasks or deliveries lost the part. */
export type RetentionCounts = Record<keyof RetentionSettings, number>;

const dayMs = 86_400_000;
const accountsPerPage = 200;
const rowsPerSlice = 100;
/** Of an account in one round: a large account must not keep the others waiting. */
const slicesMax = 50;

/** One round over all accounts. `days` are the installation's; 0 keeps the part. */
export async function applyRetention(
  lifecycle: LifecycleContext,
  days: RetentionSettings,
  { sliceRows = rowsPerSlice }: { readonly sliceRows?: number } = {},
): Promise<RetentionCounts> {
  const nowMs = await databaseMs(lifecycle.db);
  const counts: RetentionCounts = { prompts: 0, deliveries: 0, tasks: 0 };
  for (let afterId: string | null = null; ; ) {
    const accounts = await listRetention(lifecycle.db, { afterId, limit: accountsPerPage });
    const slices = accounts.flatMap((account) => slicesOf(account, { days, nowMs, sliceRows }));
    for (const slice of await dueSlices(lifecycle, slices)) {
      counts[slice.part] += await runSlices(lifecycle, slice);
    }
    if (accounts.length < accountsPerPage) break;
    afterId = accounts.at(-1)!.id;
  }
  if (Object.values(counts).some((rows) => rows > 0)) {
    lifecycle.log.info(counts, 'retention applied');
  }
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

/** Returns the number of rows. */
async function runSlices(lifecycle: LifecycleContext, slice: Slice): Promise<number> {
  let total = 0;
  for (let slices = 0; slices < slicesMax; slices++) {
    const rows = await lifecycle.db.transaction((tx) => run(tx, slice));
    total += rows;
    if (rows < slice.rows) break;
  }
  return total;
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
