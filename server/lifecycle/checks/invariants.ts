/**
 * The five invariants of the service, recomputed from every row. Each check lists its offenders; an
 * empty list is the proof. Tables of all modules are read in slices, so that neither memory nor the
 * time of a statement grows with them. No other file of the lifecycle contains SQL, except the
 * slices themselves.
 */
import type { Queryable } from '../../database/database.ts';
import { type InvariantWalk, rules, sliceStatement } from './invariant-walks.ts';

export type InvariantCheck = {
  readonly name: string;
  readonly ok: boolean;
  /** How many rows were checked. */
  readonly checked: number;
  /** At most 20 of those that break the rule. */
  readonly offenders: readonly string[];
};

export type InvariantOptions = {
  /** `new` skips entries, final tasks and ended deliveries that a sound check has covered. */
  readonly scope?: 'all' | 'new';
  readonly sliceRows?: number;
};

const sliceRowsDefault = 5_000;
const offendersMax = 20;

/** By the table that is walked. */
type Positions = Partial<Record<InvariantWalk['table'], string>>;

export async function checkInvariants(
  db: Queryable,
  { scope = 'all', sliceRows = sliceRowsDefault }: InvariantOptions = {},
): Promise<{ ok: boolean; checks: InvariantCheck[] }> {
  const from = scope === 'all' ? {} : await readCheckpoint(db);
  // Before the check: what is added meanwhile is for the next one.
  const reached = await findCheckpoint(db);
  const checks: InvariantCheck[] = [];
  for (const { name, walks } of rules) {
    const offenders = new Set<string>();
    let checked = 0;
    for (const walk of walks) {
      const found = await walkTable(db, walk, { from: from[walk.table] ?? '', sliceRows });
      checked += found.checked;
      for (const offender of found.offenders) offenders.add(offender);
    }
    const listed = [...offenders].slice(0, offendersMax);
    checks.push({ name, ok: listed.length === 0, checked, offenders: listed });
  }
  const ok = checks.every((check) => check.ok);
  if (ok) await writeCheckpoint(db, reached);
  return { ok, checks };
}

type SliceRow = {
  readonly rows: number;
  readonly last: string | null;
  readonly checked: number;
  readonly offenders: readonly string[];
};

async function walkTable(
  db: Queryable,
  walk: InvariantWalk,
  { from, sliceRows }: { readonly from: string; readonly sliceRows: number },
): Promise<{ checked: number; offenders: string[] }> {
  const statement = sliceStatement(walk);
  const offenders: string[] = [];
  let checked = 0;
  for (let cursor = from; ; ) {
    const { rows } = await db.query<SliceRow>(statement, [cursor, sliceRows]);
    const slice = rows[0]!;
    checked += slice.checked;
    if (offenders.length < offendersMax) offenders.push(...slice.offenders);
    if (slice.rows < sliceRows || slice.last === null) return { checked, offenders };
    cursor = slice.last;
  }
}

async function readCheckpoint(db: Queryable): Promise<Positions> {
  const { rows } = await db.query<{ walk: InvariantWalk['table']; position: string }>(
    'select walk, position from audit_checkpoints',
  );
  return Object.fromEntries(rows.map(({ walk, position }) => [walk, position]));
}

/** Longer than any transaction: an entry with a lower id can still be committed until then. */
const settledSql = `now() - interval '15 minutes'`;

/**
 * Up to where entries are complete, tasks final, and deliveries sent or given up; an empty position
 * checks from the start. A replay of an earlier delivery is checked by `all`.
 */
async function findCheckpoint(db: Queryable): Promise<Positions> {
  const { rows } = await db.query<Record<'ledger' | 'tasks' | 'deliveries', string | null>>(
    `with unfinished as materialized (select id from tasks where finished_at is null)
     select (select e.id::text from ledger_entries e where created_at < ${settledSql}
             order by e.id desc limit 1) as ledger,
       (select id from tasks
        where created_at < ${settledSql} and id < coalesce((select min(id) from unfinished), '~')
        order by id desc limit 1) as tasks,
       (select id from deliveries
        where created_at < ${settledSql}
          and id < coalesce((select min(delivery_id) from jobs where kind = 'notify'), '~')
        order by id desc limit 1) as deliveries`,
  );
  const { ledger, tasks, deliveries } = rows[0]!;
  // Erased tasks were final: a check of `tasks` up to the same position has covered them.
  const erased = tasks ?? '';
  return { ledger: ledger ?? '', tasks: tasks ?? '', erased, deliveries: deliveries ?? '' };
}

async function writeCheckpoint(db: Queryable, positions: Positions): Promise<void> {
  await db.query(
    `insert into audit_checkpoints (walk, position)
     select key, value from jsonb_each_text($1::jsonb)
     on conflict (walk) do update set position = excluded.position, checked_at = now()`,
    [JSON.stringify(positions)],
  );
}
