/**
 * Completed tasks of the last weeks, as rows: time cannot be made to pass in a test. The books stay
 * right, so the audit holds over them too.
 */
import { randomBytes } from 'node:crypto';
import type { Database } from '../../server/database/database.ts';
import { idsSince } from '../../server/tasks/task-id.ts';
import { generationOf } from './seed.ts';

const models = ['vidgen-2-5', 'vidgen-2-5', 'vidgen-2-0', 'vidgen-2-0-fast'] as const;
const resolutions = ['720p', '480p', '1080p'] as const;
const prompts = [
  'A paper boat on a lake, morning mist',
  'Neon rain over a narrow street at night',
  'Desert dunes, the camera rises slowly',
  'Snow falls on a mountain village',
];
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
        // Ids tell the time; what follows is chance.
        const id = `${idsSince(new Date(at.getTime() + hourMs)).slice(0, 15)}${randomText(16)}`;
        const model = models[(day + number) % models.length]!;
        const resolution = resolutions[(day * number) % resolutions.length]!;
        const prompt = prompts[(day + number) % prompts.length]!;
        const generation = generationOf({ model, resolution, prompt });
        await tx.query(
          `insert into tasks (id, account_id, key_id, mode, status, billing_status, model,
             generation, credits, created_at, deadline_at, submitted_at, finished_at, result,
             expires_at,
             removed_at)
           select $1, $2, $3, 'live', 'completed', 'charged', $4,
             $5::jsonb, 10,
             $6::timestamptz, $6::timestamptz + interval '1 hour', $6,
             $6::timestamptz + $7 * interval '1 second',
             '{"video": "gone.mp4", "lastFrame": null}',
             $6::timestamptz + interval '1 day', now()`,
          [id, account, key, model, JSON.stringify(generation), at, took],
        );
        await insertLedgerEntries(tx, { account, task: id, at });
      }
    }
  });
}

type QueryRunner = { query(sql: string, values: unknown[]): Promise<unknown> };

/** A reservation and its charge, each following from the entry before it. */
async function insertLedgerEntries(
  tx: QueryRunner,
  { account, task, at }: { readonly account: string; readonly task: string; readonly at: Date },
): Promise<void> {
  for (const kind of ['reserve', 'charge'] as const) {
    const [source, target] = kind === 'reserve' ? ['available', 'reserved'] : ['reserved', 'spent'];
    const after = (bucket: string) =>
      `${bucket} + case when '${target}' = '${bucket}' then 10 else 0 end
         - case when '${source}' = '${bucket}' then 10 else 0 end`;
    await tx.query(
      `with entry as (
         insert into ledger_entries (account_id, mode, number, kind, source, target, amount,
           available_after, reserved_after, spent_after, suspended_after, task_id, created_at)
         select account_id, mode, last_entry + 1, '${kind}', '${source}', '${target}', 10,
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
