/**
 * The outbox: mail and notice webhooks, inserted in the transaction of their cause. A message is
 * sent at least once; a repeat has the same ID. Its content is deleted when it ends.
 */
import { randomBytes } from 'node:crypto';
import type { Sealer } from '../crypto/seal.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { nowMs } from '../process/clock.ts';

export type Channel = 'mail' | 'webhook';

export type NewMessage = {
  readonly channel: Channel;
  readonly kind: string;
  /** An email address or a URL. */
  readonly recipient: string;
  /** Absent if it is written when the message is sent. */
  readonly content?: string;
  readonly linkId?: string;
  readonly accountId?: string | null;
};

export type ClaimedMessage = {
  readonly id: string;
  readonly channel: Channel;
  readonly kind: string;
  readonly recipient: string;
  readonly content: Buffer | null;
  readonly linkId: string | null;
  /** With this one; also the fence of the claim. */
  readonly attempts: number;
};

/** Workers of every process listen on it. */
export const outboxChannel = 'vidgen_outbox';

/** Longer than any attempt: a worker that has crashed leaves its messages to others after it. */
const claimSeconds = 120;

export async function insertMessage(
  tx: Transaction,
  sealer: Sealer,
  message: NewMessage,
): Promise<string> {
  const id = newMessageId(message.channel === 'mail' ? 'mail' : 'msg');
  const content = message.content === undefined ? null : sealer.seal(id, message.content);
  await tx.query(
    `insert into outbox (id, channel, kind, recipient, content, link_id, account_id)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      id,
      message.channel,
      message.kind,
      message.recipient,
      content,
      message.linkId ?? null,
      message.accountId ?? null,
    ],
  );
  await wakeSenders(tx);
  return id;
}

/** Sorts by creation: ten base-32 digits of milliseconds, then random digits. */
export function newMessageId(prefix: 'mail' | 'msg' | 'notice'): string {
  const time = nowMs().toString(32).padStart(10, '0');
  const random = Array.from(randomBytes(16), (byte) => (byte % 32).toString(32)).join('');
  return `${prefix}_${time}${random}`;
}

export async function wakeSenders(tx: Queryable): Promise<void> {
  await tx.query(`select pg_notify('${outboxChannel}', '')`);
}

/** Claims due messages, oldest first. They are due again after `claimSeconds`. */
export async function claimMessages(
  db: Queryable,
  { channel, limit }: { readonly channel: Channel; readonly limit: number },
): Promise<ClaimedMessage[]> {
  const { rows } = await db.query<ClaimedMessage>(
    `update outbox set attempts = attempts + 1, run_at = now() + interval '${claimSeconds} seconds'
     where id in (
       select id from outbox where channel = $1 and status = 'waiting' and run_at <= now()
       order by run_at limit $2 for update skip locked)
     returning id, channel, kind, recipient, content, link_id as "linkId", attempts`,
    [channel, limit],
  );
  return rows;
}

type Claim = Pick<ClaimedMessage, 'id' | 'attempts'>;

/** Stores content that was written after the claim. Returns false if the claim was lost. */
export async function setContent(
  tx: Transaction,
  { id, attempts }: Claim,
  {
    content,
    linkId,
    recipient,
  }: Readonly<Record<'linkId' | 'recipient', string>> & {
    readonly content: Buffer;
  },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update outbox set content = $3, link_id = $4, recipient = $5
     where id = $1 and attempts = $2 and status = 'waiting'`,
    [id, attempts, content, linkId, recipient],
  );
  return rowCount > 0;
}

/** Ends a message. Without effect if the claim was lost. */
export async function finishMessage(
  db: Queryable,
  { id, attempts }: Claim,
  end: { readonly status: 'sent' | 'failed' | 'cancelled'; readonly error?: string },
): Promise<void> {
  await db.query(
    `update outbox set status = $3, finished_at = now(), content = null, last_error = $4
     where id = $1 and attempts = $2 and status = 'waiting'`,
    [id, attempts, end.status, end.error?.slice(0, 300) ?? null],
  );
}

/** Deletes a message that must leave no trace. Without effect if the claim was lost. */
export async function deleteMessage(db: Queryable, { id, attempts }: Claim): Promise<void> {
  await db.query('delete from outbox where id = $1 and attempts = $2', [id, attempts]);
}

export async function retryMessage(
  db: Queryable,
  { id, attempts }: Claim,
  { delaySeconds, error }: { readonly delaySeconds: number; readonly error: string },
): Promise<void> {
  await db.query(
    `update outbox set run_at = now() + make_interval(secs => $3), last_error = $4
     where id = $1 and attempts = $2 and status = 'waiting'`,
    [id, attempts, delaySeconds, error.slice(0, 300)],
  );
}

export type OutboxCount = {
  readonly channel: Channel;
  readonly status: 'waiting' | 'failed';
  readonly messages: number;
};

/** Those that wait, and those that failed in the last 30 days; both have an index of their own. */
export async function countMessages(db: Queryable): Promise<OutboxCount[]> {
  const { rows } = await db.query<OutboxCount>(
    `select c.channel, s.status, (case s.status
         when 'waiting' then (select count(*) from outbox o
           where o.channel = c.channel and o.status = 'waiting')
         else (select count(*) from outbox o
           where o.channel = c.channel and o.status = 'failed') end)::int as messages
     from (values ('mail'), ('webhook')) c (channel), (values ('waiting'), ('failed')) s (status)`,
  );
  return rows;
}

/** The most recent error of a message that has not been sent; null without one. */
export async function findLastError(db: Queryable, channel: Channel): Promise<string | null> {
  const { rows } = await db.query<{ error: string }>(
    `select last_error as error from (
       (select last_error, created_at from outbox
         where channel = $1 and status = 'waiting' and last_error is not null
         order by run_at desc limit 1)
       union all
       (select last_error, created_at from outbox
         where channel = $1 and status = 'failed' order by created_at desc limit 1)) o
     order by created_at desc limit 1`,
    [channel],
  );
  return rows[0]?.error ?? null;
}

const keptDays = 30;

export async function deleteOldMessages(db: Queryable): Promise<void> {
  await db.query(
    `delete from outbox where id in (
       select id from outbox where finished_at < now() - interval '${keptDays} days'
       order by finished_at limit 10000)`,
  );
}
