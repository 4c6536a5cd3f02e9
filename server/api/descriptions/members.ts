/** The people of an account and of the installation: members, invitations, closing. */
import { AccountParams } from '@vidgen/contract/admin-accounts.ts';
import {
  ChangeMemberRequest,
  CreatedInvitation,
  InvitationParams,
  InviteMemberRequest,
  ListedPerson,
  ListInvitationsAnswer,
  ListMembersAnswer,
  ListPeopleAnswer,
  ListPeopleQuery,
  Member,
  MemberParams,
  PersonParams,
} from '@vidgen/contract/people.ts';
import type { Examples, RouteDescription } from '../route-description.ts';
import {
  administratorInvitation,
  createdInvitation,
  invitation,
  listedPerson,
  member,
  passwordLink,
} from './people-samples.ts';
import { adminRefusals, bodyRefused, refusalExample } from './refusals.ts';

const tag = 'People';
const one = (summary: string, value: unknown): Examples => ({ one: { summary, value } });
const wrong = (message: string) => ({
  invalid_request: refusalExample('invalid_request', message),
});
const none = (what: string) => ({
  not_found: refusalExample('not_found', `There is no ${what} with this id.`),
});
const noMember = none('member');

export const listMembers: RouteDescription = {
  operationId: 'listMembers',
  method: 'GET',
  path: '/admin/accounts/:id/members',
  summary: 'Members of an account',
  tag,
  auth: 'member',
  role: 'viewer',
  subject: 'account',
  params: AccountParams,
  answers: {
    200: {
      description: 'Newest first.',
      schema: ListMembersAnswer,
      examples: one('One member', { items: [member], next_cursor: null }),
    },
    ...adminRefusals(['not_found'], none('account')),
  },
};

export const changeMember: RouteDescription = {
  operationId: 'changeMember',
  method: 'POST',
  path: '/admin/accounts/:id/members/:person',
  summary: 'Change the role of a member',
  description: 'The last owner stays owner, unless an administrator asks.',
  tag,
  auth: 'member',
  role: 'owner',
  subject: 'account',
  confirms: true,
  params: MemberParams,
  body: ChangeMemberRequest,
  requestExamples: one('May look, not act', { role: 'viewer' }),
  answers: {
    200: {
      description: 'The member.',
      schema: Member,
      examples: one('Changed', { ...member, role: 'viewer' }),
    },
    ...adminRefusals(['invalid_request', 'not_found'], {
      ...wrong('This is the last owner of the account: make somebody else owner first.'),
      ...noMember,
    }),
  },
};

export const removeMember: RouteDescription = {
  operationId: 'removeMember',
  method: 'DELETE',
  path: '/admin/accounts/:id/members/:person',
  summary: 'Remove a member',
  description: 'Invitations the member made to the account end too.',
  tag,
  auth: 'member',
  role: 'owner',
  subject: 'account',
  confirms: true,
  params: MemberParams,
  answers: {
    204: { description: 'No longer a member.' },
    ...adminRefusals(['invalid_request', 'not_found'], {
      ...wrong('This is the last owner of the account: make somebody else owner first.'),
      ...noMember,
    }),
  },
};

export const listInvitations: RouteDescription = {
  operationId: 'listInvitations',
  method: 'GET',
  path: '/admin/accounts/:id/invitations',
  summary: 'Open invitations to an account',
  tag,
  auth: 'member',
  role: 'owner',
  subject: 'account',
  params: AccountParams,
  answers: {
    200: {
      description: 'Those that still work, newest first; never their links.',
      schema: ListInvitationsAnswer,
      examples: one('One invitation', { items: [invitation], next_cursor: null }),
    },
    ...adminRefusals(['not_found'], none('account')),
  },
};

export const inviteMember: RouteDescription = {
  operationId: 'inviteMember',
  method: 'POST',
  path: '/admin/accounts/:id/invitations',
  summary: 'Invite somebody to an account',
  description: 'The link is in this answer and nowhere else. It works once, for 7 days.',
  tag,
  auth: 'member',
  role: 'owner',
  subject: 'account',
  confirms: true,
  params: AccountParams,
  body: InviteMemberRequest,
  requestExamples: one('As developer', { role: 'developer' }),
  answers: {
    201: {
      description: 'The invitation and its link.',
      schema: CreatedInvitation,
      examples: one('An invitation', createdInvitation),
    },
    ...adminRefusals(['invalid_request', 'not_found'], {
      ...wrong('role must be one of owner, developer, viewer (got "boss")'),
      ...none('account'),
    }),
  },
};

export const revokeInvitation: RouteDescription = {
  operationId: 'revokeInvitation',
  method: 'DELETE',
  path: '/admin/accounts/:id/invitations/:invitation',
  summary: 'Withdraw an invitation',
  tag,
  auth: 'member',
  role: 'owner',
  subject: 'account',
  params: InvitationParams,
  answers: {
    204: { description: 'Its link no longer works.' },
    ...adminRefusals(['invalid_request', 'not_found'], {
      ...bodyRefused,
      ...none('invitation'),
    }),
  },
};

export const listPeople: RouteDescription = {
  operationId: 'listPeople',
  method: 'GET',
  path: '/admin/people',
  summary: 'Everybody who can sign in',
  description: 'Newest first, closed ones too.',
  tag,
  auth: 'admin',
  query: ListPeopleQuery,
  answers: {
    200: {
      description: 'A page of people.',
      schema: ListPeopleAnswer,
      examples: one('The last page', { items: [listedPerson], next_cursor: null }),
    },
    ...adminRefusals(['invalid_request'], wrong('limit must be at most 100 (got "500")')),
  },
};

export const inviteAdministrator: RouteDescription = {
  operationId: 'inviteAdministrator',
  method: 'POST',
  path: '/admin/invitations',
  summary: 'Invite an administrator',
  description:
    'Also the way back in when nobody can sign in any more: the admin token may always ask. The ' +
    'link works once, for 7 days.',
  tag,
  auth: 'admin',
  confirms: true,
  answers: {
    201: {
      description: 'The invitation and its link.',
      schema: CreatedInvitation,
      examples: one('An invitation', administratorInvitation),
    },
    ...adminRefusals(['invalid_request'], wrong('This endpoint takes no body: send none, or {}.')),
  },
};

export const makePasswordLink: RouteDescription = {
  operationId: 'makePasswordLink',
  method: 'POST',
  path: '/admin/people/:id/password-link',
  summary: 'Make a link for a new password',
  description: 'For who forgot theirs. It works once, for a day, and replaces the one before it.',
  tag,
  auth: 'admin',
  confirms: true,
  params: PersonParams,
  answers: {
    201: {
      description: 'The link, to be handed to the person.',
      schema: CreatedInvitation,
      examples: one('A link', passwordLink),
    },
    ...adminRefusals(['invalid_request', 'not_found'], {
      ...wrong('The person is closed and cannot sign in any more.'),
      ...none('person'),
    }),
  },
};

export const closePerson: RouteDescription = {
  operationId: 'closePerson',
  method: 'POST',
  path: '/admin/people/:id/close',
  summary: 'Close a person',
  description: 'All sessions of the person end, and links the person made no longer work.',
  tag,
  auth: 'admin',
  confirms: true,
  params: PersonParams,
  answers: {
    200: {
      description: 'The closed person.',
      schema: ListedPerson,
      examples: one('Closed', { ...listedPerson, closed_at: listedPerson.created_at + 7200 }),
    },
    ...adminRefusals(['invalid_request', 'not_found'], {
      ...wrong('This is the last administrator: invite another before closing this one.'),
      ...none('person'),
    }),
  },
};
