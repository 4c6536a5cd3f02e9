/**
 * What a person sees of the notices: those of the person's accounts, or all for administrators,
 * without the dismissed ones. Which ones are read and dismissed is stored by person.
 */
import { notFound } from '@vidgen/contract/api-error.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { cursorOf, type Page, type PageRequest, pageOf } from '../database/page.ts';
import { type Notice, noticeColumns } from './notice.ts';

export type Viewer = {
  readonly personId: string;
  /** Null sees all. */
  readonly accountIds: readonly string[] | null;
};

const idPattern = /^notice_[0-9a-v]{26}$/;
const unreadMax = 100;

const isShown = `n.id < $1 and not exists (
  select 1 from notice_dismissals d where d.person_id = $2 and d.notice_id = n.id)`;

const ofAll = (columns: string): string =>
  `select ${columns} from notices n where ${isShown} order by id desc limit $3`;

/** Each account is read by its index, as far as the page needs. */
const ofAccounts = (columns: string): string =>
  `select ${columns} from unnest($4::uuid[]) as a (account) cross join lateral (
     select * from notices n where n.account_id = a.account and ${isShown}
     order by n.id desc limit $3) n
   order by id desc limit $3`;

/** Sorts after every ID. */
const end = 'notice_~';

export async function listNotices(
  db: Queryable,
  viewer: Viewer,
  page: PageRequest,
): Promise<Page<Notice>> {
  const rows = await readVisible<Notice>(db, viewer, {
    columns: noticeColumns,
    before: cursorOf(page, idPattern) ?? end,
    limit: page.limit + 1,
  });
  return pageOf(rows, page.limit);
}

async function readVisible<R extends Record<string, unknown>>(
  db: Queryable,
  { personId, accountIds }: Viewer,
  { columns, before, limit }: { columns: string; before: string; limit: number },
): Promise<R[]> {
  const { rows } =
    accountIds === null
      ? await db.query<R>(ofAll(columns), [before, personId, limit])
      : await db.query<R>(ofAccounts(columns), [before, personId, limit, accountIds]);
  return rows;
}

export type Reading = { readonly unread: number; readonly readUpTo: string | null };

export async function findReading(db: Queryable, viewer: Viewer): Promise<Reading> {
  const { rows } = await db.query<{ readUpTo: string }>(
    'select read_up_to as "readUpTo" from notice_readings where person_id = $1',
    [viewer.personId],
  );
  const readUpTo = rows[0]?.readUpTo ?? null;
  const page = { columns: 'id', before: end, limit: unreadMax };
  const newest = await readVisible<{ id: string }>(db, viewer, page);
  return { unread: newest.filter(({ id }) => readUpTo === null || id > readUpTo).length, readUpTo };
}

/** Never moves back. */
export async function markRead(
  tx: Transaction,
  { personId, upTo }: { readonly personId: string; readonly upTo: string },
): Promise<void> {
  await tx.query(
    `insert into notice_readings as r (person_id, read_up_to) values ($1, $2)
     on conflict (person_id) do update
       set read_up_to = greatest(r.read_up_to, excluded.read_up_to)`,
    [personId, upTo],
  );
}

/** Throws `not_found` for a notice that the person may not see. Repeating it changes nothing. */
export async function dismissNotice(tx: Transaction, viewer: Viewer, id: string): Promise<void> {
  const { rows } = idPattern.test(id)
    ? await tx.query(
        `select 1 from notices where id = $1
           and ($2::uuid[] is null or account_id = any($2::uuid[])) for key share`,
        [id, viewer.accountIds],
      )
    : { rows: [] };
  if (rows.length === 0) throw notFound('No notice found with this ID.');
  await tx.query(
    `insert into notice_dismissals (notice_id, person_id) values ($1, $2) on conflict do nothing`,
    [id, viewer.personId],
  );
}
