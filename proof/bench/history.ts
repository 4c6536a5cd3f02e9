/**
 * Fills a database with finished tasks of the last 90 days, with all rows that they would have
 * left: three ledger entries each (a grant, the reservation, its settlement), an attempt, the words
 * of the prompt, and for some a delivery. Rows are computed in order instead of being checked one
 * by one; the invariant check proves them afterwards.
 */
import { recordActivity } from '../../server/accounts/search-accounts.ts';
import type { Database, Queryable, Transaction } from '../../server/database/database.ts';
import { checkInvariants } from '../../server/lifecycle/checks/invariants.ts';
import { taskWordsSql } from '../../server/tasks/task-words.ts';
import { addUsageDay } from '../../server/tasks/usage-days.ts';
import { receiversMax } from './outside.ts';
import { creditsEach } from './service-stack.ts';

type HistoryOptions = {
  readonly tasks: number;
  /** Where the webhooks of finished tasks went. */
  readonly receiverPort?: number;
  /** One task in this many has a delivery. */
  readonly callbackEvery?: number;
  readonly log: (line: string) => void;
};

const chunkTasks = 20_000;
const credits = 5;
const days = 90;
const callbackEveryDefault = 10;
/** The newest entries are left to the worker: each account has some of them. */
const copiedEntries = 20_000;
/** Statements over all rows take minutes. */
const long = { statementMsMax: 3_600_000 };

/** Every account has received the same grant before, and nothing else. */
export async function loadHistory(db: Database, options: HistoryOptions): Promise<void> {
  const { tasks, log } = options;
  await db.query(prepareSql);
  const indexes = await dropIndexes(db);
  for (let from = 0; from < tasks; from += chunkTasks) {
    const until = Math.min(tasks, from + chunkTasks);
    await db.transaction(async (tx) => {
      // Foreign keys and triggers would look at each row alone; other constraints still apply.
      await tx.query('set local session_replication_role = replica');
      await tx.query('set local synchronous_commit = off');
      await loadChunk(tx, { from, until, options });
    });
    if (until % 500_000 === 0) log(`loaded ${until} tasks`);
  }
  for (const index of indexes) {
    log(`${index} …`);
    await db.runAlone(`set maintenance_work_mem = '1GB'; ${index}`);
  }
  log('balances, counts and usage …');
  await finishHistory(db, tasks);
  await db.runAlone('vacuum analyze tasks');
  while (await db.transaction((tx) => addUsageDay(tx), long));
  await db.runAlone('vacuum analyze');
  await requireInvariants(db, log);
}

/** The first ten digits of an ID are its time in base 32. */
const timeDigits = Array.from(
  { length: 10 },
  (_, at) =>
    `substr('0123456789abcdefghjkmnpqrstvwxyz', ((ms >> ${45 - 5 * at}) & 31)::int + 1, 1)`,
).join(' || ');

/** `ordinal` is the number of the task in its account, from 0. Every tenth of an account failed. */
const prepareSql = `
  create table history_accounts as
    select row_number() over (order by a.created_at, a.id) - 1 as number, a.id as account_id,
      k.id as key_id
    from accounts a join api_keys k on k.account_id = a.id;
  alter table history_accounts add primary key (number);
  create function history_task_id(ms bigint, number bigint) returns text language sql immutable
    as $$ select 'task_' || ${timeDigits} || lpad(to_hex(number), 16, '0') $$;
  create unlogged table history_chunk (number bigint, id text, account_id uuid, key_id text,
    ordinal bigint, failed boolean, called boolean, receiver bigint, at timestamptz)`;

async function loadChunk(
  tx: Queryable,
  { from, until, options }: { from: number; until: number; options: HistoryOptions },
): Promise<void> {
  await tx.query('truncate history_chunk');
  await tx.query(
    `insert into history_chunk
     select i, history_task_id(floor(extract(epoch from at) * 1000)::bigint, i), account_id,
       key_id, i / accounts, (i / accounts) % 10 = 9, i % $4::bigint = 0,
       a.number % ${receiversMax}, at
     from generate_series($1::bigint, $2::bigint - 1) i
     cross join (select count(*) as accounts from history_accounts) c
     join history_accounts a on a.number = i % accounts
     cross join lateral (select now() - interval '1 hour'
       - interval '${days} days' * (1 - i::float8 / $3::float8) as at) t
     order by i`,
    [from, until, options.tasks, options.callbackEvery ?? callbackEveryDefault],
  );
  const url = `'https://127.0.0.' || receiver + 1 || ':${options.receiverPort ?? 443}/hook'`;
  await tx.query(tasksSql(url));
  await tx.query(wordsSql);
  await tx.query(entriesSql);
  await tx.query(attemptsSql);
  await tx.query(deliveriesSql(url));
  await tx.query(callsSql);
}

const tasksSql = (url: string) => `
  insert into tasks (id, account_id, key_id, mode, status, billing_status, failed_reason, model,
    generation, callback_url, credits, created_at, deadline_at, submitted_at, finished_at, result,
    expires_at, removed_at, progress, request_id)
  select id, account_id, key_id, 'live', case when failed then 'failed' else 'completed' end,
    case when failed then 'refunded' else 'charged' end,
    case when failed then 'provider_failed' end, 'vidgen-2-0-mini',
    '{"model": "vidgen-2-0-mini", "generationType": "text-to-video", "duration": 5,
      "seed": null, "prompt": "A paper boat drifts on a quiet lake", "aspectRatio": "16:9",
      "resolution": "480p", "imageUrls": [], "videoUrls": [], "audioUrls": [],
      "watermark": false, "webSearch": false, "generateAudio": true, "returnLastFrame": false}',
    case when called then ${url} end, ${credits}, at, at + interval '1 hour', at,
    at + interval '90 seconds',
    case when not failed then jsonb_build_object('video', id || '/1.mp4', 'lastFrame', null) end,
    case when not failed then at + interval '30 minutes' end,
    case when not failed then at + interval '31 minutes' end,
    case when not failed then 1 end, 'req_0123456789abcdefghijkl'
  from history_chunk order by number`;

const wordsSql = `
  insert into task_search (task_id, words)
  select id, ${taskWordsSql} from tasks where id = any(array(select id from history_chunk))
  order by id`;

/** Balances after each entry follow from the number of tasks before it. */
const entriesSql = `
  insert into ledger_entries (account_id, mode, number, kind, source, target, amount,
    available_after, reserved_after, spent_after, suspended_after, task_id, created_at)
  select account_id, 'live', 2 + 3 * ordinal + step, kind, source, target, ${credits},
    ${creditsEach} + ${credits} * (ordinal + 1 - completed - (step = 1)::int),
    case when step = 1 then ${credits} else 0 end, ${credits} * completed, 0,
    case when step > 0 then id end, at + step * interval '30 seconds'
  from history_chunk
  cross join lateral (values (0, 'grant', 'outside', 'available'),
    (1, 'reserve', 'available', 'reserved'),
    (2, case when failed then 'refund' else 'charge' end, 'reserved',
      case when failed then 'available' else 'spent' end)) steps (step, kind, source, target)
  cross join lateral (select ordinal + (step = 2)::int
    - (ordinal + (step = 2)::int) / 10 as completed) sums
  order by history_chunk.number, step`;

const attemptsSql = `
  insert into attempts (task_id, number, provider, reference, operation, unanswered, asked_at,
    outcome, started_at, accepted_at, ended_at)
  select id, 1, 'upstream', 'vg_history_' || number, 'operation-' || number, false, at,
    case when failed then 'failed' else 'completed' end, at, at, at + interval '90 seconds'
  from history_chunk order by number`;

const deliveriesSql = (url: string) => `
  insert into deliveries (id, account_id, task_id, mode, url, body, status, attempts_made,
    created_at, delivered_at)
  select 'msg_' || lpad(to_hex(number), 26, '0'), account_id, id, 'live', ${url},
    '{"id":"' || id || '","created_at":1790000000,"model":"vidgen-2-0-mini",' ||
      '"status":"completed","data":{"results":["https://videos.example/results/' || id ||
      '/video.mp4?expires=1790086400&signature=0123456789abcdef0123456789abcdef0123456789a"],' ||
      '"video_expires_at":"2026-09-22T13:20:00.000Z","last_frame_url":null,' ||
      '"processing_time":90}}',
    'delivered', 1, at + interval '90 seconds', at + interval '91 seconds'
  from history_chunk where called order by number`;

const callsSql = `
  insert into call_attempts (delivery_id, number, round, started_at, duration_ms, answer_status,
    answer_body)
  select 'msg_' || lpad(to_hex(number), 26, '0'), 1, 1, at + interval '90 seconds', 40, 200, ''
  from history_chunk where called order by number`;

/**
 * Drops indexes that no constraint needs, and returns the statements that create them again, which
 * takes less time than keeping them. Unique ones reject duplicates then.
 */
async function dropIndexes(db: Database): Promise<string[]> {
  const { rows } = await db.query<{ name: string; statement: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as statement
     from pg_index i
     where indrelid in ('tasks'::regclass, 'ledger_entries'::regclass, 'attempts'::regclass,
         'deliveries'::regclass, 'task_search'::regclass)
       and not exists (select from pg_constraint c where c.conindid = i.indexrelid)`,
  );
  for (const { name } of rows) await db.query(`drop index ${name}`);
  return rows.map(({ statement }) => statement);
}

/** Writes balances, counts and the start of usage as triggers and statements would have. */
async function finishHistory(db: Database, tasks: number): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query(
      `update balances b set available = e.available_after, reserved = e.reserved_after,
         spent = e.spent_after, last_entry = e.number,
         granted = e.available_after + e.reserved_after + e.spent_after + e.suspended_after
       from history_accounts h cross join lateral (
         select * from ledger_entries e where e.account_id = h.account_id and e.mode = 'live'
         order by e.number desc limit 1) e
       where b.account_id = h.account_id and b.mode = 'live'`,
    );
    await tx.query(
      `insert into task_counts (status, billing_status, tasks)
       select case when failed then 'failed' else 'completed' end,
         case when failed then 'refunded' else 'charged' end, count(*)
       from generate_series(0::bigint, $1::bigint - 1) i
       cross join (select count(*) as accounts from history_accounts) c
       cross join lateral (select (i / accounts) % 10 = 9 as failed) f group by failed`,
      [tasks],
    );
    await tx.query(
      `insert into delivery_counts (status, deliveries)
       select 'delivered', count(*) from deliveries`,
    );
    await tx.query(
      `update usage_rollup set since = first.day, until = first.day from (
         select date_trunc('day', min(created_at), 'UTC') as day from tasks) first`,
    );
    await tx.query('update task_search_position set position = (select max(id) from tasks)');
    await skipAccountActivity(tx);
    await tx.query('drop table history_chunk, history_accounts; drop function history_task_id');
  }, long);
}

/** A worker would copy it from the first entry on, and every figure would contain that. */
async function skipAccountActivity(tx: Transaction): Promise<void> {
  const { rows } = await tx.query<{ id: number }>('select max(id) as id from ledger_entries');
  const position = Math.max(0, rows[0]!.id - copiedEntries);
  await recordActivity(tx, { activities: [], position });
}

async function requireInvariants(db: Database, log: (line: string) => void): Promise<void> {
  const { ok, checks } = await checkInvariants(db);
  const broken = checks.flatMap(({ name, offenders }) => offenders.map((one) => `${name}: ${one}`));
  if (!ok) throw new Error(`the loaded history breaks invariants:\n${broken.join('\n')}`);
  log(`invariants hold: ${checks.map(({ checked }) => checked).join(', ')} rows checked`);
}
