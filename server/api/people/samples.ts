/** Sample people, sessions and links for the examples of the OpenAPI document. */
import { accountId, createdAt } from '../http/samples.ts';

const day = 86_400;

const person = {
  id: '0f6c2a53-2d0b-4f0e-8a57-5d1c3b7e9f24',
  email: 'ada@example.com',
  name: 'Ada Berg',
  administrator: false,
};
const ownAccount = { id: accountId, name: 'Paper Boat Studio', role: 'owner' };

export const session = {
  person,
  accounts: [ownAccount],
  sends_mail: true,
  session: {
    id: 'c2b7f0a4-8f1e-4a52-9d3e-61f0b2c4d5e6',
    created_at: createdAt,
    expires_at: createdAt + 30 * day,
    confirmed_until: createdAt + 600,
  },
};

export const listedSession = {
  id: session.session.id,
  current: true,
  created_at: createdAt,
  last_used_at: createdAt + 240,
  address: '192.0.2.17',
  agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
};

export const token = 'pX3kQ9vT0mB7nR5wZc4hG8sK2mQ9xT1vB7nR5wZc4hG';

export const link = {
  purpose: 'member',
  account_name: 'Paper Boat Studio',
  role: 'developer',
  email: person.email,
  expires_at: createdAt + 7 * day,
};

export const member = {
  id: person.id,
  email: person.email,
  name: person.name,
  role: 'developer',
  created_at: createdAt,
  last_seen_at: createdAt + 3600,
};

export const invitation = {
  id: '5a1d9c3e-7b2f-4c60-8e41-2f9d0a6b7c85',
  purpose: 'member',
  role: 'developer',
  email: null,
  invited_by: 'ada@example.com',
  created_at: createdAt,
  expires_at: createdAt + 7 * day,
};
const invitationLink = (page: string) => `https://videos.example.com/dashboard/${page}#${token}`;
export const createdInvitation = { ...invitation, link: invitationLink('join'), emailed: false };
export const administratorInvitation = {
  ...createdInvitation,
  purpose: 'administrator',
  role: null,
  invited_by: 'admin token',
};
export const passwordLink = {
  ...administratorInvitation,
  purpose: 'password',
  expires_at: createdAt + day,
  link: invitationLink('reset'),
};

export const listedPerson = {
  ...person,
  created_at: createdAt,
  last_seen_at: createdAt + 3600,
  closed_at: null,
  second_factor: true,
  single_sign_on: false,
  accounts: [ownAccount],
};

export const tooManyPasswords = 'Too many failed sign-in attempts; try again in 8 seconds.';
export const linkGone = 'This link has been used, replaced or has expired; ask for a new one.';
export const lastOwner = 'An account needs at least one owner; make someone else an owner first.';

export const startedLogin = {
  device_code: token,
  code: 'BCDF-GHJK',
  url: 'https://videos.example.com/dashboard/login?code=BCDF-GHJK',
  expires_in: 600,
  interval: 2,
};
export const waitingLogin = {
  code: startedLogin.code,
  machine: 'ada-laptop',
  address: '192.0.2.17',
  is_same_network: true,
  created_at: createdAt,
  expires_at: createdAt + 600,
};
export const loginGone =
  'No login with this code is waiting; it was used or has expired. Start again.';

export const code = '492039';
export const wrongCode = 'Incorrect code; enter the current one of your app, or a recovery code.';
export const recoveryCodes = {
  codes: ['7bqkd-m2x9w', 'h4tzc-p8n3e', 'vk5ya-2rj6g', '9xwmb-q7d4u', 'c3fhs-e8kt5'].flatMap(
    (one) => [one, [...one].reverse().join('')],
  ),
};
