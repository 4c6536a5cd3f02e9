/**
 * Redemption codes. A code is redeemed once: the transaction that grants its credits locks the row,
 * and a trigger keeps a redeemed code redeemed.
 */

import { invalidRequest, notFound } from '@vidgen/contract/api-error.ts';
import type { KeyMode } from '@vidgen/contract/models.ts';
import type { codeStatuses } from '@vidgen/contract/top-ups.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import type { Page } from '../database/page.ts';
import {
  type SortColumn,
  type SortedRequest,
  sortColumnOf,
  sortedPage,
  sortList,
} from '../database/sorted-list.ts';
import { digestCode, generateCode, newId } from './code-format.ts';

type CodeStatus = (typeof codeStatuses)[number];

export type Code = {
  readonly id: string;
  readonly lastFour: string;
  readonly amount: number;
  readonly mode: KeyMode;
  readonly note: string;
  /** The database clock decides. */
  readonly status: CodeStatus;
  readonly createdAt: Date;
  readonly createdBy: string;
  readonly expiresAt: Date | null;
  readonly redeemedAt: Date | null;
  readonly accountId: string | null;
};

const codeIdPattern = /^code_[0-9a-hjkmnp-tv-z]{26}$/;
const codeStatusSql = `case when redeemed_at is not null then 'redeemed'
  when revoked_at is not null then 'revoked'
  when expires_at <= now() then 'expired' else 'open' end`;
const codeColumns = `id, last_four as "lastFour", amount, mode, note,
  ${codeStatusSql} as status,
  created_at as "createdAt", created_by as "createdBy", expires_at as "expiresAt",
  redeemed_at as "redeemedAt", account_id as "accountId"`;

type NewCodes = {
  readonly amount: number;
  readonly mode: KeyMode;
  readonly count: number;
  readonly note: string;
  readonly expiresAt: Date | null;
  readonly createdBy: string;
  readonly pepper: Buffer;
};

/** Creates identical codes. The codes themselves are returned here and cannot be read again. */
export async function createCodes(
  tx: Transaction,
  { count, pepper, amount, mode, note, expiresAt, createdBy }: NewCodes,
): Promise<(Code & { readonly code: string })[]> {
  const newCodes = Array.from({ length: count }, () => ({
    id: newId('code'),
    code: generateCode(),
  }));
  const rows = newCodes.map(({ id, code }) => ({
    id,
    digest: digestCode(code, pepper),
    last: code.slice(-4),
  }));
  const { rows: inserted } = await tx.query<Code>(
    `insert into redemption_codes
       (id, digest, last_four, amount, mode, note, expires_at, created_by)
     select id, digest, last, $2, $3, $4, $5, $6
     from jsonb_to_recordset($1::jsonb) as c(id text, digest text, last text)
     returning ${codeColumns}`,
    [JSON.stringify(rows), amount, mode, note, expiresAt, createdBy],
  );
  const byId = new Map(inserted.map((row) => [row.id, row]));
  return newCodes.map(({ id, code }) => ({ ...byId.get(id)!, code }));
}

/** Locks the code until the commit; a concurrent redemption of the same code waits. */
export async function lockCode(
  tx: Transaction,
  { code, pepper }: { code: string; pepper: Buffer },
): Promise<Code | null> {
  const { rows } = await tx.query<Code>(
    `select ${codeColumns} from redemption_codes where digest = $1 for no key update`,
    [digestCode(code, pepper)],
  );
  return rows[0] ?? null;
}

/** Call after `lockCode` returned an open code. */
export async function markRedeemed(
  tx: Transaction,
  { codeId, accountId }: { codeId: string; accountId: string },
): Promise<void> {
  await tx.query('update redemption_codes set redeemed_at = now(), account_id = $2 where id = $1', [
    codeId,
    accountId,
  ]);
}

/** Revokes a code. Revoking again is no error; throws `invalid_request` if it was redeemed. */
export async function revokeCode(tx: Transaction, codeId: string): Promise<Code> {
  const { rows } = await tx.query<Code>(
    `select ${codeColumns} from redemption_codes where id = $1 for no key update`,
    [codeId],
  );
  const code = rows[0];
  if (!code) throw notFound('No redemption code found with this ID.');
  if (code.status === 'redeemed') {
    throw invalidRequest('This code was already redeemed and can’t be revoked.');
  }
  if (code.status !== 'revoked') {
    await tx.query('update redemption_codes set revoked_at = now() where id = $1', [codeId]);
  }
  return code;
}

type CodeFilter = SortedRequest & {
  /** Words of the note, the last four characters, or who created it. */
  readonly search?: string | undefined;
  readonly status?: CodeStatus | undefined;
  readonly mode?: KeyMode | undefined;
  /** The account that redeemed it. */
  readonly accountId?: string | undefined;
};

/** IDs sort by creation time. */
const sortColumns: Readonly<Record<string, SortColumn>> = {
  created: { sql: 'id', kind: 'text' },
  amount: { sql: 'amount', kind: 'integer' },
};

const searchSql = `and id in (select id from redemption_codes
  where search_words(note || ' ' || last_four || ' ' || created_by) @@ search_query($3))`;

export async function listCodes(db: Queryable, filter: CodeFilter): Promise<Page<Code>> {
  const list = sortList(filter, sortColumns[sortColumnOf(filter)]!, {
    sql: 'id',
    type: 'text',
    pattern: codeIdPattern,
  });
  const { rows } = await db.query<Code & { sortKey: string }>(
    `select ${codeColumns}, ${list.keySql} from redemption_codes
     where ${list.conditionSql} ${filter.search === undefined ? 'and $3::text is null' : searchSql}
       and ($4::text is null or ${codeStatusSql} = $4) and ($5::text is null or mode = $5)
       and ($6::uuid is null or account_id = $6)
     order by ${list.orderSql} limit $7`,
    [
      ...list.values,
      filter.search ?? null,
      filter.status ?? null,
      filter.mode ?? null,
      filter.accountId ?? null,
      filter.limit + 1,
    ],
  );
  return sortedPage(rows, filter.limit);
}
