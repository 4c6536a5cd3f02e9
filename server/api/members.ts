/** The people of an account: who they are, what they may, and who is invited. */
import { ChangeMemberRequest, InviteMemberRequest } from '@vidgen/contract/people.ts';
import { getAccount } from '../accounts/account.ts';
import { listInvitations, makeLink, revokeInvitation, revokeLinksBy } from '../accounts/link.ts';
import { changeRole, listMembers, removeMember } from '../accounts/membership.ts';
import { recordAction } from '../accounts/operator-actions.ts';
import { Refusal } from '../refusal.ts';
import { checkedBody } from './check-request.ts';
import { createdInvitationView, invitationView, memberView } from './people-views.ts';
import type { Answer, Asked, Service } from './service.ts';

export async function getMembers({ lifecycle }: Service, asked: Asked): Promise<Answer> {
  const { id: accountId } = await getAccount(lifecycle.db, asked.params.id!);
  const members = await listMembers(lifecycle.db, accountId);
  return { body: { items: members.map(memberView), next_cursor: null } };
}

export async function postMember({ lifecycle }: Service, asked: Asked): Promise<Answer> {
  const { role } = checkedBody(ChangeMemberRequest, asked.body);
  const { accountId, personId } = await placeOf(lifecycle, asked);
  const member = await lifecycle.db.transaction(async (tx) => {
    const keepsOwner = !asked.isOperator;
    const changed = await changeRole(tx, { accountId, personId, role, keepsOwner });
    if (role !== 'owner') await revokeLinksBy(tx, { personId, accountId });
    const detail = { person: personId, role };
    const action = 'member.change';
    await recordAction(tx, { actor: asked.actor, action, subject: accountId, detail });
    return changed;
  });
  return { body: memberView(member) };
}

export async function deleteMember({ lifecycle }: Service, asked: Asked): Promise<Answer> {
  const { accountId, personId } = await placeOf(lifecycle, asked);
  await lifecycle.db.transaction(async (tx) => {
    await removeMember(tx, { accountId, personId, keepsOwner: !asked.isOperator });
    await revokeLinksBy(tx, { personId, accountId });
    const detail = { person: personId };
    const action = 'member.remove';
    await recordAction(tx, { actor: asked.actor, action, subject: accountId, detail });
  });
  return { status: 204 };
}

export async function getInvitations({ lifecycle }: Service, asked: Asked): Promise<Answer> {
  const { id: accountId } = await getAccount(lifecycle.db, asked.params.id!);
  const links = await listInvitations(lifecycle.db, accountId);
  return { body: { items: links.map(invitationView), next_cursor: null } };
}

export async function postInvitation(service: Service, asked: Asked): Promise<Answer> {
  const { db } = service.lifecycle;
  const { role } = checkedBody(InviteMemberRequest, asked.body);
  const { id: accountId, closedAt } = await getAccount(db, asked.params.id!);
  if (closedAt) {
    throw new Refusal('invalid_request', 'The account is closed: nobody can join it any more.');
  }
  const link = await db.transaction(async (tx) => {
    const made = await makeLink(tx, {
      purpose: 'member',
      accountId,
      role,
      madeBy: asked.actor,
      madeByPerson: asked.person?.id,
    });
    const detail = { invitation: made.id, role };
    const action = 'member.invite';
    await recordAction(tx, { actor: asked.actor, action, subject: accountId, detail });
    return made;
  });
  return { status: 201, body: createdInvitationView(service, link) };
}

export async function deleteInvitation({ lifecycle }: Service, asked: Asked): Promise<Answer> {
  const { id: accountId } = await getAccount(lifecycle.db, asked.params.id!);
  const linkId = asked.params.invitation!;
  await lifecycle.db.transaction(async (tx) => {
    await revokeInvitation(tx, { accountId, linkId });
    const detail = { invitation: linkId };
    const action = 'invitation.revoke';
    await recordAction(tx, { actor: asked.actor, action, subject: accountId, detail });
  });
  return { status: 204 };
}

async function placeOf({ db }: Service['lifecycle'], { params }: Asked) {
  const { id: accountId } = await getAccount(db, params.id!);
  return { accountId, personId: params.person! };
}
