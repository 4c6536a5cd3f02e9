/** Members of an account: their roles, and what ends with them. */
import {
  ChangeMemberRequest,
  ListMembersResponse,
  Member,
  MemberParams,
} from '@vidgen/contract/people.ts';
import { getAccount } from '../../accounts/account.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import * as memberships from '../../accounts/people/membership.ts';
import { revokeLinksOfPerson } from '../../accounts/people/one-time-link.ts';
import { endpoint, jsonResponse } from '../http/endpoint.ts';
import { createdAt, pageOf } from '../http/samples.ts';
import { unixSeconds, unixSecondsOrNull } from '../http/timestamps.ts';
import { person as personSample } from './samples.ts';

const lastOwner = 'An account needs at least one owner; make someone else an owner first.';
const noMember = 'No member found with this ID in this account.';

const memberSample = {
  id: personSample.id,
  email: personSample.email,
  name: personSample.name,
  role: 'developer',
  created_at: createdAt,
  last_seen_at: createdAt + 3600,
};

export const memberView = (member: memberships.Member): Member => ({
  id: member.id,
  email: member.email,
  name: member.name,
  role: member.role,
  created_at: unixSeconds(member.createdAt),
  last_seen_at: unixSecondsOrNull(member.lastSeenAt),
});

const listMembers = endpoint({
  operationId: 'listMembers',
  method: 'GET',
  path: '/admin/accounts/:id/members',
  summary: 'List members',
  auth: 'member',
  role: 'viewer',
  responses: {
    200: jsonResponse('Newest first.', ListMembersResponse, {
      one: ['One member', pageOf(memberSample)],
    }),
  },
  async handler({ lifecycle: { db } }, request) {
    const { id: accountId } = await getAccount(db, request.params.id!);
    const members = await memberships.listMembers(db, accountId);
    return { body: { items: members.map(memberView), next_cursor: null } };
  },
});

const changeMember = endpoint({
  operationId: 'changeMember',
  method: 'POST',
  path: '/admin/accounts/:id/members/:person',
  summary: 'Change the role of a member',
  description: 'Only an administrator can change the role of the last owner.',
  auth: 'member',
  role: 'owner',
  requiresConfirmation: true,
  params: MemberParams,
  body: ChangeMemberRequest,
  requestExamples: { one: ['May look, not act', { role: 'viewer' }] },
  responses: {
    200: jsonResponse('The member.', Member, {
      one: ['Changed', { ...memberSample, role: 'viewer' }],
    }),
  },
  errors: { invalid_request: lastOwner, not_found: noMember },
  async handler({ lifecycle: { db } }, request) {
    const { role } = request.body;
    const { id: accountId } = await getAccount(db, request.params.id!);
    const personId = request.params.person!;
    const changed = await request.transaction(async (tx) => {
      const keepLastOwner = !request.isAdmin;
      const change = { accountId, personId, role, keepLastOwner };
      const { member, previousRole } = await memberships.changeRole(tx, change);
      if (role !== 'owner') await revokeLinksOfPerson(tx, { personId, accountId });
      const detail = { person: personId, role, from: previousRole };
      const action = 'member.change';
      await recordAudit(tx, { actor: request.actor, action, subject: accountId, detail });
      return member;
    });
    return { body: memberView(changed) };
  },
});

const removeMember = endpoint({
  operationId: 'removeMember',
  method: 'DELETE',
  path: '/admin/accounts/:id/members/:person',
  summary: 'Remove a member',
  description: 'Invitations the member made to the account end too.',
  auth: 'member',
  role: 'owner',
  requiresConfirmation: true,
  params: MemberParams,
  responses: { 204: { description: 'No longer a member.' } },
  errors: { invalid_request: lastOwner, not_found: noMember },
  async handler({ lifecycle: { db } }, request) {
    const { id: accountId } = await getAccount(db, request.params.id!);
    const personId = request.params.person!;
    await request.transaction(async (tx) => {
      const removal = { accountId, personId, keepLastOwner: !request.isAdmin };
      const { role } = await memberships.removeMember(tx, removal);
      await revokeLinksOfPerson(tx, { personId, accountId });
      const detail = { person: personId, role };
      const action = 'member.remove';
      await recordAudit(tx, { actor: request.actor, action, subject: accountId, detail });
    });
    return { status: 204 };
  },
});

export const memberEndpoints = [listMembers, changeMember, removeMember];
