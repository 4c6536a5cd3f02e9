/**
 * Completed tasks of the last four weeks, inserted as rows because their timestamps are in the
 * past. Tasks and ledger entries match, so the invariants hold.
 */
import { randomBytes } from 'node:crypto';
import { createCatalog } from '../../server/catalog/catalog.ts';
import { priceOf } from '../../server/catalog/price.ts';
import type { Database } from '../../server/database/database.ts';
import { idsSince } from '../../server/tasks/task-id.ts';
import { generationOf } from './seed.ts';

const models = [
  { model: 'vidgen-2-5', resolution: '720p' },
  { model: 'vidgen-2-0', resolution: '720p' },
  { model: 'vidgen-2-5', resolution: '1080p' },
  { model: 'vidgen-2-0-fast', resolution: '480p' },
] as const;
const prompts = [
  'A paper boat on a lake, morning mist',
  'Neon rain over a narrow street at night',
  'Desert dunes, the camera rises slowly',
  'Snow falls on a mountain village',
  'Product shot: a ceramic cup turns on oak, soft window light',
  'A sailing boat leaves the harbor at sunrise',
  'Timelapse of clouds over a city skyline',
  'Cherry blossoms drift past a quiet temple',
  'A cyclist on a coastal road, drone follows from above',
];
const catalog = createCatalog();
const hourMs = 3_600_000;
const days = 28;

export async function seedTaskHistory(
  db: Database,
  { account }: { readonly account: string },
): Promise<void> {
  const { rows } = await db.query<{ id: string }>(
    `select id from api_keys where account_id = $1 and mode = 'live' and revoked_at is null`,
    [account],
  );
  const key = rows[0]?.id ?? '';
  await db.transaction(async (tx) => {
    for (let day = days; day >= 1; day--) {
      for (let number = 0; number < 2 + ((day * 7) % 5); number++) {
        const at = new Date(Date.now() - day * 24 * hourMs + number * hourMs);
        const took = 6 + ((day * 13 + number * 5) % 20);
        // An id begins with its time; the rest is random.
        const id = `${idsSince(new Date(at.getTime() + hourMs)).slice(0, 15)}${randomText(16)}`;
        const { model, resolution } = models[(day + number) % models.length]!;
        const prompt = prompts[(day * 2 + number) % prompts.length]!;
        const generation = generationOf({ model, resolution, prompt });
        const credits = priceOf(generation, catalog.find(model)!);
        await tx.query(
          `insert into tasks (id, account_id, key_id, mode, status, billing_status, model,
             generation, credits, created_at, deadline_at, submitted_at, finished_at, result,
             expires_at,
             removed_at)
           select $1, $2, $3, 'live', 'completed', 'charged', $4,
             $5::jsonb, $8,
             $6::timestamptz, $6::timestamptz + interval '1 hour', $6,
             $6::timestamptz + $7 * interval '1 second',
             '{"video": "gone.mp4", "lastFrame": null}',
             $6::timestamptz + interval '1 day', now()`,
          [id, account, key, model, JSON.stringify(generation), at, took, credits],
        );
        await insertLedgerEntries(tx, { account, task: id, at, credits });
      }
    }
  });
  // Tasks are in the index of words by age, and these are older than what was indexed last.
  await db.query(`update task_search_position set position = ''`);
}

type HistoryEntry = {
  readonly account: string;
  readonly task: string;
  readonly at: Date;
  readonly credits: number;
};
type QueryRunner = { query(sql: string, values: unknown[]): Promise<unknown> };

/** Inserts the reservation and the charge of a task, each on top of the last entry. */
async function insertLedgerEntries(
  tx: QueryRunner,
  { account, task, at, credits }: HistoryEntry,
): Promise<void> {
  for (const kind of ['reserve', 'charge'] as const) {
    const [source, target] = kind === 'reserve' ? ['available', 'reserved'] : ['reserved', 'spent'];
    const after = (bucket: string) =>
      `${bucket} + case when '${target}' = '${bucket}' then ${credits} else 0 end
         - case when '${source}' = '${bucket}' then ${credits} else 0 end`;
    await tx.query(
      `with entry as (
         insert into ledger_entries (account_id, mode, number, kind, source, target, amount,
           available_after, reserved_after, spent_after, suspended_after, task_id, created_at)
         select account_id, mode, last_entry + 1, '${kind}', '${source}', '${target}', ${credits},
           ${after('available')}, ${after('reserved')}, ${after('spent')}, suspended, $2, $3
         from balances where account_id = $1 and mode = 'live' returning *
       )
       update balances set last_entry = entry.number, available = entry.available_after,
         reserved = entry.reserved_after, spent = entry.spent_after
       from entry where balances.account_id = entry.account_id and balances.mode = entry.mode`,
      [account, task, at],
    );
  }
}

const randomText = (characters: number): string =>
  [...randomBytes(characters)]
    .map((byte) => '0123456789abcdefghjkmnpqrstvwxyz'[byte % 32])
    .join('');
