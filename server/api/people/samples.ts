/** Sample people, sessions and links for the examples of the OpenAPI document. */
import { accountId, createdAt } from '../http/samples.ts';

const day = 86_400;

export const person = {
  id: '0f6c2a53-2d0b-4f0e-8a57-5d1c3b7e9f24',
  email: 'ada@example.com',
  name: 'Ada Berg',
  administrator: false,
};
export const ownAccount = { id: accountId, name: 'Paper Boat Studio', role: 'owner' };

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

export const token = 'pX3kQ9vT0mB7nR5wZc4hG8sK2mQ9xT1vB7nR5wZc4hG';

export const invitation = {
  id: '5a1d9c3e-7b2f-4c60-8e41-2f9d0a6b7c85',
  purpose: 'member',
  role: 'developer',
  email: null,
  invited_by: 'ada@example.com',
  created_at: createdAt,
  expires_at: createdAt + 7 * day,
};
const pageWithToken = (page: string) => `https://videos.example.com/dashboard/${page}#${token}`;
export const createdInvitation = { ...invitation, link: pageWithToken('join'), emailed: false };
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
  link: pageWithToken('reset'),
};

export const code = '492039';
export const tooManyPasswords = 'Too many failed sign-in attempts; try again in 8 seconds.';
