/** The people of an account and of the installation: members, invitations, closing. */
import { AccountParams } from '@vidgen/contract/admin-accounts.ts';
import {
  ChangeMemberRequest,
  CreatedInvitation,
  InvitationParams,
  InviteMemberRequest,
  ListedPerson,
  ListInvitationsResponse,
  ListMembersResponse,
  ListPeopleQuery,
  ListPeopleResponse,
  Member,
  MemberParams,
  PersonParams,
} from '@vidgen/contract/people.ts';
import { adminErrors, bodyErrors, errorExample } from './errors.ts';
import {
  administratorInvitation,
  createdInvitation,
  invitation,
  listedPerson,
  member,
  passwordLink,
} from './people-samples.ts';
import type { Examples, RouteDescription } from './route-description.ts';

const tag = 'People';
const example = (summary: string, value: unknown): Examples => ({ example: { summary, value } });
const invalidRequest = (message: string) => ({
  invalid_request: errorExample('invalid_request', message),
});
const notFound = (what: string) => ({
  not_found: errorExample('not_found', `There is no ${what} with this id.`),
});
const noMember = notFound('member');

export const listMembers: RouteDescription = {
  operationId: 'listMembers',
  method: 'GET',
  path: '/admin/accounts/:id/members',
  summary: 'Members of an account',
  tag,
  auth: 'member',
  role: 'viewer',
  resource: 'account',
  params: AccountParams,
  responses: {
    200: {
      description: 'Newest first.',
      schema: ListMembersResponse,
      examples: example('One member', { items: [member], next_cursor: null }),
    },
    ...adminErrors(['not_found'], notFound('account')),
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
  resource: 'account',
  requiresConfirmation: true,
  params: MemberParams,
  body: ChangeMemberRequest,
  requestExamples: example('May look, not act', { role: 'viewer' }),
  responses: {
    200: {
      description: 'The member.',
      schema: Member,
      examples: example('Changed', { ...member, role: 'viewer' }),
    },
    ...adminErrors(['invalid_request', 'not_found'], {
      ...invalidRequest('This is the last owner of the account: make somebody else owner first.'),
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
  resource: 'account',
  requiresConfirmation: true,
  params: MemberParams,
  responses: {
    204: { description: 'No longer a member.' },
    ...adminErrors(['invalid_request', 'not_found'], {
      ...invalidRequest('This is the last owner of the account: make somebody else owner first.'),
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
  resource: 'account',
  params: AccountParams,
  responses: {
    200: {
      description: 'Those that still work, newest first; never their links.',
      schema: ListInvitationsResponse,
      examples: example('One invitation', { items: [invitation], next_cursor: null }),
    },
    ...adminErrors(['not_found'], notFound('account')),
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
  resource: 'account',
  requiresConfirmation: true,
  params: AccountParams,
  body: InviteMemberRequest,
  requestExamples: example('As developer', { role: 'developer' }),
  responses: {
    201: {
      description: 'The invitation and its link.',
      schema: CreatedInvitation,
      examples: example('An invitation', createdInvitation),
    },
    ...adminErrors(['invalid_request', 'not_found'], {
      ...invalidRequest('role must be one of owner, developer, viewer (got "boss")'),
      ...notFound('account'),
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
  resource: 'account',
  params: InvitationParams,
  responses: {
    204: { description: 'Its link no longer works.' },
    ...adminErrors(['invalid_request', 'not_found'], {
      ...bodyErrors,
      ...notFound('invitation'),
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
  responses: {
    200: {
      description: 'A page of people.',
      schema: ListPeopleResponse,
      examples: example('The last page', { items: [listedPerson], next_cursor: null }),
    },
    ...adminErrors(['invalid_request'], invalidRequest('limit must be at most 100 (got "500")')),
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
  requiresConfirmation: true,
  responses: {
    201: {
      description: 'The invitation and its link.',
      schema: CreatedInvitation,
      examples: example('An invitation', administratorInvitation),
    },
    ...adminErrors(
      ['invalid_request'],
      invalidRequest('This endpoint takes no body: send none, or {}.'),
    ),
  },
};

export const createPasswordLink: RouteDescription = {
  operationId: 'makePasswordLink',
  method: 'POST',
  path: '/admin/people/:id/password-link',
  summary: 'Make a link for a new password',
  description: 'For who forgot theirs. It works once, for a day, and replaces the one before it.',
  tag,
  auth: 'admin',
  requiresConfirmation: true,
  params: PersonParams,
  responses: {
    201: {
      description: 'The link, to be handed to the person.',
      schema: CreatedInvitation,
      examples: example('A link', passwordLink),
    },
    ...adminErrors(['invalid_request', 'not_found'], {
      ...invalidRequest('The person is closed and cannot sign in any more.'),
      ...notFound('person'),
    }),
  },
};

export const deactivatePerson: RouteDescription = {
  operationId: 'closePerson',
  method: 'POST',
  path: '/admin/people/:id/close',
  summary: 'Close a person',
  description: 'All sessions of the person end, and links the person made no longer work.',
  tag,
  auth: 'admin',
  requiresConfirmation: true,
  params: PersonParams,
  responses: {
    200: {
      description: 'The closed person.',
      schema: ListedPerson,
      examples: example('Closed', { ...listedPerson, closed_at: listedPerson.created_at + 7200 }),
    },
    ...adminErrors(['invalid_request', 'not_found'], {
      ...invalidRequest('This is the last administrator: invite another before closing this one.'),
      ...notFound('person'),
    }),
  },
};
