/**
 * Invitations: one-time links that make a person a member or an administrator. `acceptInvitation`
 * is the only place where a link grants a right.
 */
import {
  CreatedInvitation,
  type Invitation,
  InvitationParams,
  InviteAdministratorRequest,
  InviteMemberRequest,
  ListInvitationsResponse,
} from '@vidgen/contract/people.ts';
import { findDemoAccount, getAccount } from '../../accounts/account.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { addMember } from '../../accounts/people/membership.ts';
import * as links from '../../accounts/people/one-time-link.ts';
import {
  grantAdministrator,
  hasAdministrator,
  type PersonIdentity,
} from '../../accounts/people/person.ts';
import type { Transaction } from '../../database/database.ts';
import { invitationMail, passwordMail } from '../../messages/mail-text.ts';
import { insertMessage } from '../../messages/outbox.ts';
import { isMailAddress } from '../../messages/smtp-settings.ts';
import { recordUse, requireQuota } from '../../rate-limits/account-quota.ts';
import { getOpenAccount } from '../accounts/account-response.ts';
import { endpoint, jsonResponse } from '../http/endpoint.ts';
import type { ApiResponse, ApiServices } from '../http/handler.ts';
import { pageOf } from '../http/samples.ts';
import { unixSeconds } from '../http/timestamps.ts';
import { administratorInvitation, createdInvitation, invitation } from './samples.ts';

const invitationView = (link: links.OneTimeLink): Invitation => ({
  id: link.id,
  purpose: link.purpose,
  role: link.role,
  email: link.invitedEmail,
  invited_by: link.createdBy,
  created_at: unixSeconds(link.createdAt),
  expires_at: unixSeconds(link.expiresAt),
});

const listInvitations = endpoint({
  operationId: 'listInvitations',
  method: 'GET',
  path: '/admin/accounts/:id/invitations',
  summary: 'List open invitations',
  auth: 'member',
  role: 'owner',
  responses: {
    200: jsonResponse(
      'Valid invitations, newest first, without their links.',
      ListInvitationsResponse,
      { one: ['One invitation', pageOf(invitation)] },
    ),
  },
  async handler({ lifecycle: { db } }, request) {
    const { id: accountId } = await getAccount(db, request.params.id!);
    const found = await links.listInvitations(db, accountId);
    return { body: { items: found.map(invitationView), next_cursor: null } };
  },
});

/** Enough for a team; too few to try which email addresses exist, one link each. */
const invitationQuota = {
  purpose: 'invitations',
  limit: 50,
  windowSeconds: 3600,
  label: '50 invitations an hour',
} as const;

/** Only its response has the link. */
const inviteMember = endpoint({
  operationId: 'inviteMember',
  method: 'POST',
  path: '/admin/accounts/:id/invitations',
  summary: 'Invite a person to an account',
  description:
    'The link is in this response and, with `email`, in the mail to that address. It works once, ' +
    'for 7 days.',
  auth: 'member',
  role: 'owner',
  requiresConfirmation: true,
  body: InviteMemberRequest,
  requestExamples: {
    one: ['As developer', { role: 'developer' }],
    mailed: ['By email', { role: 'viewer', email: 'ada@example.com' }],
  },
  responses: {
    201: jsonResponse('The invitation and its link.', CreatedInvitation, {
      one: ['An invitation', createdInvitation],
    }),
  },
  errors: {
    invalid_request: 'role must be one of owner, developer, viewer (got "boss")',
    rate_limited: true,
  },
  async handler(services, request) {
    const { db } = services.lifecycle;
    const { role, email } = request.body;
    const account = await getOpenAccount(db, request.params.id!, 'members cannot be invited');
    const accountId = account.id;
    const created = await request.transaction(async (tx) => {
      if (!request.isAdmin) {
        await requireQuota(tx, { accountId, ...invitationQuota });
        await recordUse(tx, { accountId, ...invitationQuota });
      }
      const link = await links.createLink(tx, {
        purpose: 'member',
        accountId,
        role,
        invitedEmail: email,
        createdBy: request.actor,
        createdByPersonId: request.person?.id,
      });
      const detail = { invitation: link.id, role, ...(email === undefined ? {} : { email }) };
      const action = 'member.invite';
      await recordAudit(tx, { actor: request.actor, action, subject: accountId, detail });
      return { link, emailed: await queueLinkMail(services, tx, link) };
    });
    return createdLinkResponse(services, created);
  },
});

const revokeInvitation = endpoint({
  operationId: 'revokeInvitation',
  method: 'DELETE',
  path: '/admin/accounts/:id/invitations/:invitation',
  summary: 'Withdraw an invitation',
  auth: 'member',
  role: 'owner',
  params: InvitationParams,
  responses: { 204: { description: 'Its link no longer works.' } },
  errors: { not_found: 'No invite found with this ID in this account.' },
  async handler({ lifecycle: { db } }, request) {
    const { id: accountId } = await getAccount(db, request.params.id!);
    const linkId = request.params.invitation!;
    await request.transaction(async (tx) => {
      await links.revokeInvitation(tx, { accountId, linkId });
      const detail = { invitation: linkId };
      const action = 'invitation.revoke';
      await recordAudit(tx, { actor: request.actor, action, subject: accountId, detail });
    });
    return { status: 204 };
  },
});

/** The admin token may always call it, so that no installation stays without an administrator. */
const inviteAdministrator = endpoint({
  operationId: 'inviteAdministrator',
  method: 'POST',
  path: '/admin/invitations',
  summary: 'Invite an administrator',
  description:
    'The admin token can do this even if nobody can sign in any more. The link works once, for 7 ' +
    'days. With `email` it is also sent there.',
  auth: 'admin',
  requiresConfirmation: true,
  body: InviteAdministratorRequest,
  bodyIsOptional: true,
  requestExamples: { mailed: ['By email', { email: 'ada@example.com' }] },
  responses: {
    201: jsonResponse('The invitation and its link.', CreatedInvitation, {
      one: ['An invitation', administratorInvitation],
    }),
  },
  errors: { invalid_request: 'email must be an email address (got "ada")' },
  async handler(services, { actor, person, body: { email }, transaction }) {
    const created = await transaction(async (tx) => {
      const link = await links.createLink(tx, {
        purpose: 'administrator',
        invitedEmail: email,
        createdBy: actor,
        createdByPersonId: person?.id,
      });
      const detail = email === undefined ? {} : { email };
      await recordAudit(tx, { actor, action: 'administrator.invite', subject: link.id, detail });
      return { link, emailed: await queueLinkMail(services, tx, link) };
    });
    return createdLinkResponse(services, created);
  },
});

type CreatedLink = links.OneTimeLink & { readonly token: string };

export function createdLinkResponse(
  { publicUrl }: ApiServices,
  { link, emailed }: { readonly link: CreatedLink; readonly emailed: boolean },
): ApiResponse {
  const url = links.linkUrl(publicUrl(), link);
  const body: CreatedInvitation = { ...invitationView(link), link: url, emailed };
  return { status: 201, body };
}

/**
 * Writes the mail with a one-time link to the outbox, in the transaction that creates the link:
 * both exist, or neither. The link is sent only while it is valid. Returns whether a mail will be
 * sent: not without an address, and not without SMTP.
 */
export async function queueLinkMail(
  { messages }: ApiServices,
  tx: Transaction,
  link: CreatedLink,
): Promise<boolean> {
  const { purpose, expiresAt, accountName, role, accountId } = link;
  const isPassword = purpose === 'password';
  const recipient = isPassword ? link.email : link.invitedEmail;
  if (messages.mailer === null || recipient === null || !isMailAddress(recipient)) return false;
  const publicUrl = messages.publicUrl();
  const parts = { link: links.linkUrl(publicUrl, link), expiresAt, publicUrl };
  const account = accountName !== null && role !== null ? { name: accountName, role } : null;
  const mail = isPassword
    ? passwordMail(parts)
    : invitationMail({ ...parts, invitedBy: link.createdBy, account });
  await insertMessage(tx, messages.sealer, {
    channel: 'mail',
    recipient,
    linkId: link.id,
    accountId,
    kind: isPassword ? 'password' : 'invitation',
    content: JSON.stringify(mail),
  });
  return true;
}

/**
 * Grants what the link was created for. The first administrator also becomes owner of the demo
 * account that the first run created.
 */
export async function acceptInvitation(
  tx: Transaction,
  link: links.OneTimeLink,
  person: PersonIdentity,
): Promise<PersonIdentity> {
  const { email: actor, id: personId } = person;
  const detail = { invited_by: link.createdBy };
  if (link.purpose === 'member') {
    const accountId = link.accountId!;
    const role = link.role!;
    await addMember(tx, { accountId, personId, role });
    const joinDetail = { ...detail, person: personId, role };
    await recordAudit(tx, { actor, action: 'member.join', subject: accountId, detail: joinDetail });
    return person;
  }
  const isFirst = !(await hasAdministrator(tx));
  await grantAdministrator(tx, personId);
  await recordAudit(tx, { actor, action: 'administrator.join', subject: personId, detail });
  const demo = isFirst ? await findDemoAccount(tx) : null;
  if (demo) await addMember(tx, { accountId: demo.id, personId, role: 'owner' });
  return { ...person, administrator: true };
}

export const invitationEndpoints = [
  listInvitations,
  inviteMember,
  revokeInvitation,
  inviteAdministrator,
];
