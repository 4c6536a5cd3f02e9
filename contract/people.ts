/** People of the dashboard: identity, sign-in, and roles. */
import { z } from 'zod';
import {
  countedListOf,
  filePageQuery,
  idParams,
  listOf,
  nullableText,
  searchQuery,
  sortQuery,
  unixSeconds,
} from './list.ts';
import { secretFormat } from './schema-paths.ts';
import { requiredText } from './text.ts';

/** Each role includes the roles after it. */
export const accountRoles = ['owner', 'developer', 'viewer'] as const;
export type AccountRole = (typeof accountRoles)[number];

const passwordCharacters = { min: 12, max: 128 } as const;

const Email = z
  .string()
  .max(254)
  .regex(/^[^\s@\p{C}]+@[^\s@\p{C}]+$/u, 'must be an email address')
  .describe('Compared without regard to case.');

const NewPassword = z
  .string()
  .min(passwordCharacters.min)
  .max(passwordCharacters.max)
  .describe('12 to 128 characters of any kind.')
  .meta({ format: secretFormat });

/** Entered by a person to sign in; only new passwords have rules. */
const PasswordInput = z.string().min(1).max(1000).meta({ format: secretFormat });

export const SignInRequest = z
  .strictObject({ email: requiredText({ charactersMax: 254 }), password: PasswordInput })
  .meta({ id: 'SignInRequest' });
export type SignInRequest = z.infer<typeof SignInRequest>;

const Person = z
  .object({
    id: z.string(),
    email: z.string(),
    name: z.string(),
    administrator: z.boolean().describe('Of the installation: may do everything.'),
  })
  .meta({ id: 'Person' });

export const SessionResponse = z
  .object({
    person: Person,
    accounts: z
      .array(z.object({ id: z.string(), name: z.string(), role: z.enum(accountRoles) }))
      .describe('Those the person is a member of.'),
    sends_mail: z
      .boolean()
      .describe('Whether the installation sends invitations and notices by email.'),
    session: z.object({
      id: z.string(),
      created_at: unixSeconds('When the person signed in.'),
      expires_at: unixSeconds('When it ends at the latest.'),
      confirmed_until: unixSeconds(
        'Until when keys and money may be touched; after that the password is asked for again.',
      ),
    }),
  })
  .meta({ id: 'Session' });
export type SessionResponse = z.infer<typeof SessionResponse>;

export const ConfirmSessionRequest = z
  .strictObject({ password: PasswordInput })
  .meta({ id: 'ConfirmSessionRequest' });

export const ChangePasswordRequest = z
  .strictObject({ current_password: PasswordInput, new_password: NewPassword })
  .meta({ id: 'ChangePasswordRequest' });

export const ChangeNameRequest = z
  .strictObject({ name: requiredText({ charactersMax: 200 }) })
  .meta({ id: 'ChangeNameRequest' });

export const ListedSession = z
  .object({
    id: z.string(),
    current: z.boolean().describe('The session of this request.'),
    created_at: unixSeconds('When the person signed in.'),
    last_used_at: unixSeconds('About when it was last used.'),
    address: z.string().describe('From where the person signed in.'),
    agent: z.string().describe('The `User-Agent` of the browser.'),
  })
  .meta({ id: 'ListedSession' });
export type ListedSession = z.infer<typeof ListedSession>;
export const ListSessionsResponse = listOf(ListedSession).meta({ id: 'SessionList' });
export type ListSessionsResponse = z.infer<typeof ListSessionsResponse>;
export const SessionParams = idParams('The session.');

/** The purposes of a one-time link. */
export const linkPurposes = ['administrator', 'member', 'password'] as const;

const LinkToken = z
  .string()
  .min(1)
  .max(200)
  .describe('The part of the link after `#`.')
  .meta({ format: secretFormat });
export const InspectLinkRequest = z
  .strictObject({ token: LinkToken })
  .meta({ id: 'LookAtLinkRequest' });
export const LinkResponse = z
  .object({
    purpose: z.enum(linkPurposes),
    account_name: z.string().nullable().describe('With `member`: of which account.'),
    role: z.enum(accountRoles).nullable().describe('With `member`: as what.'),
    email: nullableText('With `password`: whose. Otherwise the address that was invited, if any.'),
    expires_at: unixSeconds('When the link ends.'),
  })
  .meta({ id: 'Link' });
export type LinkResponse = z.infer<typeof LinkResponse>;

/**
 * Uses a link. `administrator` and `member`: a signed-in person joins as that person; others give
 * name, email and a new password, or the password of their existing login. `password`: only the new
 * password.
 */
export const UseLinkRequest = z
  .strictObject({
    token: LinkToken,
    name: requiredText({ charactersMax: 200 }).optional(),
    email: Email.optional(),
    password: NewPassword.optional(),
  })
  .meta({ id: 'UseLinkRequest' });
export type UseLinkRequest = z.infer<typeof UseLinkRequest>;

export const Member = z
  .object({
    id: z.string().describe('The person.'),
    email: z.string(),
    name: z.string(),
    role: z.enum(accountRoles),
    created_at: unixSeconds('When the person joined the account.'),
    last_seen_at: unixSeconds('About when the person was last here.').nullable(),
  })
  .meta({ id: 'Member' });
export type Member = z.infer<typeof Member>;
export const ListMembersResponse = listOf(Member).meta({ id: 'MemberList' });
export type ListMembersResponse = z.infer<typeof ListMembersResponse>;
export const MemberParams = z.object({
  id: z.string().describe('The account.'),
  person: z.string().describe('The person.'),
});
export const ChangeMemberRequest = z
  .strictObject({ role: z.enum(accountRoles) })
  .meta({ id: 'ChangeMemberRequest' });

/** One mailbox, with nothing that a mail server could read as more. */
const InvitedEmail = z
  .string()
  .max(254)
  .regex(/^[^\s@"(),:;<>[\]\\\p{C}]+@[^\s@"(),:;<>[\]\\\p{C}]+$/u, 'must be an email address')
  .describe('Gets the link by email, if the installation sends mail.');

export const Invitation = z
  .object({
    id: z.string(),
    purpose: z.enum(linkPurposes),
    role: z.enum(accountRoles).nullable(),
    email: z.string().nullable().describe('Where the invitation was sent, if anywhere.'),
    invited_by: z.string(),
    created_at: unixSeconds('Unix time in whole seconds.'),
    expires_at: unixSeconds('When the link ends.'),
  })
  .meta({ id: 'Invitation' });
export type Invitation = z.infer<typeof Invitation>;
export const CreatedInvitation = Invitation.extend({
  link: z.string().describe('Give it to the person. Shown once, works once.'),
  emailed: z.boolean().describe('Whether the link is also sent by email.'),
}).meta({ id: 'CreatedInvitation' });
export type CreatedInvitation = z.infer<typeof CreatedInvitation>;
export const InviteMemberRequest = z
  .strictObject({ role: z.enum(accountRoles), email: InvitedEmail.optional() })
  .meta({ id: 'InviteMemberRequest' });
export const InviteAdministratorRequest = z
  .strictObject({ email: InvitedEmail.optional() })
  .meta({ id: 'InviteAdministratorRequest' });
export const ListInvitationsResponse = listOf(Invitation).meta({ id: 'InvitationList' });
export type ListInvitationsResponse = z.infer<typeof ListInvitationsResponse>;
export const InvitationParams = z.object({
  id: z.string().describe('The account.'),
  invitation: z.string().describe('The invitation.'),
});

export const ForgotPasswordRequest = z
  .strictObject({ email: Email })
  .meta({ id: 'ForgotPasswordRequest' });

/** A person as admins see it. */
export const ListedPerson = Person.extend({
  created_at: unixSeconds('Unix time in whole seconds.'),
  last_seen_at: unixSeconds('About when the person was last here.').nullable(),
  closed_at: unixSeconds('Since when the person can no longer sign in.').nullable(),
  second_factor: z.boolean().describe('Whether a code is asked for after the password.'),
  single_sign_on: z.boolean().describe('Whether a login at an OpenID provider is linked.'),
  accounts: z.array(z.object({ id: z.string(), name: z.string(), role: z.enum(accountRoles) })),
}).meta({ id: 'ListedPerson' });
export type ListedPerson = z.infer<typeof ListedPerson>;
export const ListPeopleQuery = z.strictObject({
  ...searchQuery('Words of the name or email.'),
  ...sortQuery(['created', 'name', 'last_seen']),
  status: z
    .enum(['open', 'closed'])
    .optional()
    .describe('Only people who can sign in, or only deactivated ones.'),
  role: z.enum(['administrator', 'member']).optional().describe('Only administrators, or others.'),
  ...filePageQuery,
});
export const ListPeopleResponse = countedListOf(ListedPerson).meta({ id: 'PersonList' });
export type ListPeopleResponse = z.infer<typeof ListPeopleResponse>;
export const PersonParams = idParams('The person.');
