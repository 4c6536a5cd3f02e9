/** The people of an account: who they are, what they may, and who is invited. */
import { ChangeMemberRequest, InviteMemberRequest } from '@vidgen/contract/people.ts';
import { getAccount } from '../../accounts/account.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { changeRole, listMembers, removeMember } from '../../accounts/membership.ts';
import {
  createLink,
  listInvitations,
  revokeInvitation,
  revokeLinksOfPerson,
} from '../../accounts/one-time-link.ts';
import { ApiError } from '../../api-error.ts';
import type { ApiRequest, ApiResponse, ApiServices } from '../http/handler.ts';
import { parseBody } from '../http/parse-request.ts';
import { createdInvitationView, invitationView, memberView } from './views.ts';

export async function getMembers(
  { lifecycle }: ApiServices,
  request: ApiRequest,
): Promise<ApiResponse> {
  const { id: accountId } = await getAccount(lifecycle.db, request.params.id!);
  const members = await listMembers(lifecycle.db, accountId);
  return { body: { items: members.map(memberView), next_cursor: null } };
}

export async function postMember(
  { lifecycle }: ApiServices,
  request: ApiRequest,
): Promise<ApiResponse> {
  const { role } = parseBody(ChangeMemberRequest, request.body);
  const { accountId, personId } = await membershipKeyOf(lifecycle, request);
  const member = await lifecycle.db.transaction(async (tx) => {
    const keepLastOwner = !request.isAdmin;
    const changed = await changeRole(tx, { accountId, personId, role, keepLastOwner });
    if (role !== 'owner') await revokeLinksOfPerson(tx, { personId, accountId });
    const detail = { person: personId, role };
    const action = 'member.change';
    await recordAudit(tx, { actor: request.actor, action, subject: accountId, detail });
    return changed;
  });
  return { body: memberView(member) };
}

export async function deleteMember(
  { lifecycle }: ApiServices,
  request: ApiRequest,
): Promise<ApiResponse> {
  const { accountId, personId } = await membershipKeyOf(lifecycle, request);
  await lifecycle.db.transaction(async (tx) => {
    await removeMember(tx, { accountId, personId, keepLastOwner: !request.isAdmin });
    await revokeLinksOfPerson(tx, { personId, accountId });
    const detail = { person: personId };
    const action = 'member.remove';
    await recordAudit(tx, { actor: request.actor, action, subject: accountId, detail });
  });
  return { status: 204 };
}

export async function getInvitations(
  { lifecycle }: ApiServices,
  request: ApiRequest,
): Promise<ApiResponse> {
  const { id: accountId } = await getAccount(lifecycle.db, request.params.id!);
  const links = await listInvitations(lifecycle.db, accountId);
  return { body: { items: links.map(invitationView), next_cursor: null } };
}

export async function postInvitation(
  services: ApiServices,
  request: ApiRequest,
): Promise<ApiResponse> {
  const { db } = services.lifecycle;
  const { role } = parseBody(InviteMemberRequest, request.body);
  const { id: accountId, closedAt } = await getAccount(db, request.params.id!);
  if (closedAt) {
    throw new ApiError('invalid_request', 'The account is closed: nobody can join it any more.');
  }
  const link = await db.transaction(async (tx) => {
    const created = await createLink(tx, {
      purpose: 'member',
      accountId,
      role,
      createdBy: request.actor,
      createdByPersonId: request.person?.id,
    });
    const detail = { invitation: created.id, role };
    const action = 'member.invite';
    await recordAudit(tx, { actor: request.actor, action, subject: accountId, detail });
    return created;
  });
  return { status: 201, body: createdInvitationView(services, link) };
}

export async function deleteInvitation(
  { lifecycle }: ApiServices,
  request: ApiRequest,
): Promise<ApiResponse> {
  const { id: accountId } = await getAccount(lifecycle.db, request.params.id!);
  const linkId = request.params.invitation!;
  await lifecycle.db.transaction(async (tx) => {
    await revokeInvitation(tx, { accountId, linkId });
    const detail = { invitation: linkId };
    const action = 'invitation.revoke';
    await recordAudit(tx, { actor: request.actor, action, subject: accountId, detail });
  });
  return { status: 204 };
}

async function membershipKeyOf({ db }: ApiServices['lifecycle'], { params }: ApiRequest) {
  const { id: accountId } = await getAccount(db, params.id!);
  return { accountId, personId: params.person! };
}
