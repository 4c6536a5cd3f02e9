/**
 * One-time links: become an administrator or a member, or set a new password. The token leaves this
 * file once, from `createLink`; only its SHA-256 is stored.
 */
import { randomUUID } from 'node:crypto';
import { ApiError, notFound } from '@vidgen/contract/api-error.ts';
import type { AccountRole, linkPurposes } from '@vidgen/contract/people.ts';
import type { Queryable, Transaction } from '../../database/database.ts';
import { isUuid } from '../uuid.ts';
import { normalizeEmail } from './person.ts';
import { digestToken, newToken } from './session.ts';

type LinkPurpose = (typeof linkPurposes)[number];

export type OneTimeLink = {
  readonly id: string;
  readonly purpose: LinkPurpose;
  /** Set for `member`. */
  readonly accountId: string | null;
  readonly accountName: string | null;
  readonly role: AccountRole | null;
  /** Set for `password`: the person whose password it resets. */
  readonly personId: string | null;
  readonly email: string | null;
  /** The address that an invitation was sent to, if it was made with one. */
  readonly invitedEmail: string | null;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
};

/** A password link is shorter-lived because the person is waiting for it. */
const ttlDays: Readonly<Record<LinkPurpose, number>> = {
  administrator: 7,
  member: 7,
  password: 1,
};

const selectLink = `select l.id, l.purpose, l.account_id as "accountId", a.name as "accountName",
    l.role, l.person_id as "personId", p.email,
    l.invited_email as "invitedEmail", l.made_by as "createdBy",
    l.created_at as "createdAt", l.expires_at as "expiresAt"
  from links l left join accounts a on a.id = l.account_id
    left join people p on p.id = l.person_id`;
/** The creator's name in the audit log of the link for the first administrator. */
export const bootstrapActor = 'first start';

/** A link is good only while its maker could make it. The admin token can make any. */
const makerHasRight = `case
  when l.made_by_person is not null then exists (
    select 1 from people maker
     where maker.id = l.made_by_person and maker.closed_at is null
       and (maker.administrator or exists (
         select 1 from memberships m
          where m.account_id = l.account_id and m.person_id = maker.id and m.role = 'owner')))
  when l.made_by = '${bootstrapActor}' then
    not exists (select 1 from people where administrator and closed_at is null)
  else true end`;

/** Then the link is void: its maker must not try email addresses with it. */
const failedUsesMax = 5;

/** For the person who was deactivated. */
export const accessDeactivated =
  'Your access was deactivated; ask an administrator for a new invite.';

/** Links of closed accounts and people are invalid. */
const isValid = `l.used_at is null and l.revoked_at is null and l.expires_at > now()
  and l.failed_uses < ${failedUsesMax}
  and (l.account_id is null or l.account_id in (select id from accounts where closed_at is null))
  and (l.person_id is null or l.person_id in (select id from people where closed_at is null))
  and ${makerHasRight}`;

export async function createLink(
  tx: Transaction,
  link: {
    purpose: LinkPurpose;
    accountId?: string;
    role?: AccountRole;
    personId?: string;
    invitedEmail?: string | undefined;
    /** The creator's name in the audit log, and the person if the creator is one. */
    createdBy: string;
    createdByPersonId?: string | undefined;
  },
): Promise<OneTimeLink & { readonly token: string }> {
  const token = newToken();
  const id = randomUUID();
  await tx.query(
    `insert into links (id, digest, purpose, account_id, role, person_id, made_by, made_by_person,
       expires_at, invited_email, invited_email_key)
     values ($1, $2, $3, $4, $5, $6, $7, $8, now() + $9::int * interval '1 day', $10, $11)`,
    [
      id,
      digestToken(token),
      link.purpose,
      link.accountId ?? null,
      link.role ?? null,
      link.personId ?? null,
      link.createdBy,
      link.createdByPersonId ?? null,
      ttlDays[link.purpose],
      link.invitedEmail ?? null,
      link.invitedEmail === undefined ? null : normalizeEmail(link.invitedEmail),
    ],
  );
  const { rows } = await tx.query<OneTimeLink>(`${selectLink} where l.id = $1`, [id]);
  return { ...rows[0]!, token };
}

/**
 * Unknown, used, revoked and expired links all give the same error. Only a password link of a
 * closed person gives another one, because a new link would not help.
 */
export async function getValidLink(db: Queryable, token: string): Promise<OneTimeLink> {
  const { rows } = await db.query<OneTimeLink>(`${selectLink} where l.digest = $1 and ${isValid}`, [
    digestToken(token),
  ]);
  if (!rows[0]) throw await invalidLinkError(db, token);
  return rows[0];
}

/** Whether the link with this ID can still be used. */
export async function isLinkValid(db: Queryable, linkId: string): Promise<boolean> {
  const { rows } = await db.query(`select 1 from links l where l.id = $1 and ${isValid}`, [linkId]);
  return rows.length > 0;
}

/** The token is in the fragment: browsers do not send it, so it is in no log. */
export const linkUrl = (
  publicUrl: string,
  { purpose, token }: Pick<OneTimeLink, 'purpose'> & { token: string },
): string => `${publicUrl}/dashboard/${purpose === 'password' ? 'reset' : 'join'}#${token}`;

/** Marks the link as used. Of two concurrent uses one succeeds and the other throws. */
export async function consumeLink(tx: Transaction, token: string): Promise<void> {
  const { rows } = await tx.query<{ id: string }>(
    `update links l set used_at = now() where l.digest = $1 and ${isValid} returning l.id`,
    [digestToken(token)],
  );
  if (!rows[0]) throw await invalidLinkError(tx, token);
}

/**
 * Marks the valid invitations that were made for an email address as used, and returns them. With
 * `accountId`, those to other accounts stay open.
 */
export async function consumeInvitationsFor(
  tx: Transaction,
  { email, accountId = null }: { email: string; accountId?: string | null | undefined },
): Promise<OneTimeLink[]> {
  const { rows: used } = await tx.query<{ id: string }>(
    `update links l set used_at = now()
      where l.invited_email_key = $1 and l.purpose <> 'password'
        and ($2::uuid is null or l.account_id is null or l.account_id = $2) and ${isValid}
      returning l.id`,
    [normalizeEmail(email), accountId],
  );
  if (used.length === 0) return [];
  const { rows } = await tx.query<OneTimeLink>(
    `${selectLink} where l.id = any($1::uuid[]) order by l.created_at, l.id`,
    [used.map(({ id }) => id)],
  );
  return rows;
}

/** Counts a use with an email address and password that match no person. */
export async function recordFailedUse(tx: Transaction, token: string): Promise<void> {
  await tx.query('update links set failed_uses = failed_uses + 1 where digest = $1', [
    digestToken(token),
  ]);
}

/** Valid links of an account, newest first. */
export async function listInvitations(db: Queryable, accountId: string): Promise<OneTimeLink[]> {
  const { rows } = await db.query<OneTimeLink>(
    `${selectLink} where l.account_id = $1 and ${isValid}
      order by l.created_at desc, l.id desc limit 1000`,
    [accountId],
  );
  return rows;
}

export async function revokeInvitation(
  tx: Transaction,
  { accountId, linkId }: { accountId: string; linkId: string },
): Promise<void> {
  const { rowCount } = isUuid(linkId)
    ? await tx.query(
        `update links l set revoked_at = now()
         where l.id = $1 and l.account_id = $2 and ${isValid}`,
        [linkId, accountId],
      )
    : { rowCount: 0 };
  if (rowCount > 0) return;
  throw notFound('No invite found with this ID in this account.');
}

/**
 * Revokes the open links a person created, for one account or for all, because that person may no
 * longer invite.
 */
export async function revokeLinksOfPerson(
  tx: Transaction,
  { personId, accountId = null }: { personId: string; accountId?: string | null },
): Promise<void> {
  await tx.query(
    `update links set revoked_at = now()
      where made_by_person = $1 and ($2::uuid is null or account_id = $2::uuid)
        and used_at is null and revoked_at is null`,
    [personId, accountId],
  );
}

/** Revokes the open password links of a person, before a new one or after a password change. */
export async function revokePasswordLinks(tx: Transaction, personId: string): Promise<void> {
  await tx.query(
    `update links set revoked_at = now()
      where person_id = $1 and used_at is null and revoked_at is null`,
    [personId],
  );
}

/** Revokes the links of earlier starts; only the most recently printed one stays valid. */
export async function revokeBootstrapLinks(tx: Transaction): Promise<void> {
  await tx.query(
    `update links set revoked_at = now()
      where made_by = $1 and made_by_person is null and purpose = 'administrator'
        and used_at is null and revoked_at is null`,
    [bootstrapActor],
  );
}

async function invalidLinkError(db: Queryable, token: string): Promise<ApiError> {
  const { rows } = await db.query(
    `select 1 from links l join people p on p.id = l.person_id
      where l.digest = $1 and l.used_at is null and l.expires_at > now()
        and p.closed_at is not null`,
    [digestToken(token)],
  );
  return rows.length > 0
    ? new ApiError('forbidden', accessDeactivated)
    : notFound('This link has been used, replaced or has expired; ask for a new one.');
}
