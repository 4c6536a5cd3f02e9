/**
 * Sessions of signed-in people. The token leaves this file once; only its SHA-256 is stored. A
 * session ends after 7 days without use and after 30 days in any case, by the database clock.
 */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { ApiError } from '@vidgen/contract/api-error.ts';
import type { Queryable, Transaction } from '../../database/database.ts';
import { isUuid } from '../uuid.ts';
import type { PersonIdentity } from './person.ts';

const sessionIdleDaysMax = 7;
export const sessionDaysMax = 30;
/** How long after the person has proved who they are a session may change keys and spend money. */
const confirmedSeconds = 600;
/** Requests in flight with the token from before a rotation still succeed. */
const previousTokenSeconds = 30;

export type Session = {
  readonly id: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly confirmedUntil: Date;
  /** Whether the password was entered recently; always false for a token that was rotated away. */
  readonly isConfirmed: boolean;
  /** False for a token that was rotated away: it only reads, for requests that were in flight. */
  readonly isCurrent: boolean;
};

export type AuthenticatedSession = { readonly person: PersonIdentity; readonly session: Session };
export type NewSession = Session & { readonly token: string };

type ListedSession = {
  readonly id: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date;
  readonly address: string;
  readonly agent: string;
};

const columns = `s.id, s.created_at as "createdAt", s.expires_at as "expiresAt",
  s.confirmed_at + interval '${confirmedSeconds} seconds' as "confirmedUntil"`;
const isActive = `s.expires_at > now()
  and s.last_used_at > now() - interval '${sessionIdleDaysMax} days'`;

/** 256 random bits, for sessions and one-time links. */
export const newToken = (): string => randomBytes(32).toString('base64url');
export const digestToken = (token: string): string =>
  createHash('sha256').update(token).digest('hex');

/** `isConfirmed` is false if the person has not proved recently who they are. */
export async function createSession(
  tx: Transaction,
  request: { personId: string; address: string; agent: string; isConfirmed?: boolean },
): Promise<NewSession> {
  const token = newToken();
  const { isConfirmed = true } = request;
  const { rows } = await tx.query<Omit<Session, 'isConfirmed' | 'isCurrent'>>(
    `insert into sessions as s (id, person_id, digest, expires_at, address, agent, confirmed_at)
     values ($1, $2, $3, now() + interval '${sessionDaysMax} days', $4, $5,
       case when $6 then now() else now() - interval '${confirmedSeconds} seconds' end)
     returning ${columns}`,
    [
      randomUUID(),
      request.personId,
      digestToken(token),
      request.address.slice(0, 100),
      printable(request.agent).slice(0, 400),
      isConfirmed,
    ],
  );
  await tx.query('update people set last_seen_at = now() where id = $1', [request.personId]);
  return { ...rows[0]!, isConfirmed, isCurrent: true, token };
}

/**
 * Returns the person and session of a token, or null if the token is unknown, the session has ended
 * or the person is closed. With `lock`, both rows stay as they are until the transaction ends; take
 * `update` if it changes one of them, since two transactions that upgrade a shared lock deadlock.
 */
export async function findSessionByToken(
  db: Queryable,
  token: string,
  { lock }: { lock?: 'share' | 'update' | undefined } = {},
): Promise<(AuthenticatedSession & { readonly isStale: boolean }) | null> {
  const { rows } = await db.query<
    Session & Omit<PersonIdentity, 'id'> & { personId: string; isStale: boolean }
  >(
    `select ${columns}, p.id as "personId", p.email, p.name, p.administrator,
            s.digest = $1 and s.confirmed_at > now() - interval '${confirmedSeconds} seconds'
              as "isConfirmed",
            s.digest = $1 as "isCurrent",
            s.last_used_at < now() - interval '1 minute' as "isStale"
       from sessions s join people p on p.id = s.person_id
      where (s.digest = $1 or (s.previous_digest = $1 and s.previous_until > now()))
        and ${isActive} and p.closed_at is null ${lock ? rowLocks[lock] : ''}`,
    [digestToken(token)],
  );
  const found = rows[0];
  if (!found) return null;
  const { personId, email, name, administrator, isStale, ...session } = found;
  return { person: { id: personId, email, name, administrator }, session, isStale };
}

const rowLocks = { share: 'for share of s, p', update: 'for no key update of s, p' } as const;

/** Writes the last use at most once per minute and session, however many processes saw it. */
export async function recordSessionUse(db: Queryable, sessionId: string): Promise<void> {
  await db.query(
    `with used as (
       update sessions set last_used_at = now() where id in (
         select id from sessions
          where id = $1 and last_used_at < now() - interval '1 minute'
          for no key update skip locked)
       returning person_id)
     update people set last_seen_at = now() where id in (select person_id from used)`,
    [sessionId],
  );
}

/**
 * Issues a new token for the session of `currentToken` after the password was entered again or the
 * person gained rights, so that a leaked old token gains nothing. Throws if the token was rotated
 * away meanwhile: an old token never becomes a new one.
 */
export async function rotateSession(
  tx: Transaction,
  currentToken: string,
  { confirms }: { confirms: boolean },
): Promise<NewSession> {
  const token = newToken();
  const { rows } = await tx.query<Session>(
    `update sessions as s set digest = $2, previous_digest = s.digest,
            previous_until = now() + interval '${previousTokenSeconds} seconds',
            last_used_at = now(),
            confirmed_at = case when $3 then now() else s.confirmed_at end
      where s.digest = $1
     returning ${columns}, true as "isCurrent",
       s.confirmed_at > now() - interval '${confirmedSeconds} seconds' as "isConfirmed"`,
    [digestToken(currentToken), digestToken(token), confirms],
  );
  const rotated = rows[0];
  if (!rotated) throw new ApiError('invalid_api_key', 'Your session has expired; sign in again.');
  return { ...rotated, token };
}

/** Active sessions, newest first. */
export async function listSessions(db: Queryable, personId: string): Promise<ListedSession[]> {
  const { rows } = await db.query<ListedSession>(
    `select s.id, s.created_at as "createdAt", s.last_used_at as "lastUsedAt", s.address, s.agent
       from sessions s where s.person_id = $1 and ${isActive}
      order by s.created_at desc, s.id desc limit 100`,
    [personId],
  );
  return rows;
}

/** Ends one of the person's own sessions; returns false if there is no such session. */
export async function endSession(
  tx: Transaction,
  { personId, sessionId }: { personId: string; sessionId: string },
): Promise<boolean> {
  if (!isUuid(sessionId)) return false;
  const { rowCount } = await tx.query('delete from sessions where id = $1 and person_id = $2', [
    sessionId,
    personId,
  ]);
  return rowCount > 0;
}

export async function endSessions(
  tx: Transaction,
  { personId, except = null }: { personId: string; except?: string | null },
): Promise<void> {
  await tx.query(
    'delete from sessions where person_id = $1 and ($2::uuid is null or id <> $2::uuid)',
    [personId, except],
  );
}

export async function sweepSessions(tx: Transaction): Promise<void> {
  await tx.query(`delete from sessions s where not (${isActive})`);
}

/** The user agent is arbitrary client text. */
const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cs}]/gu, ' ').trim();
