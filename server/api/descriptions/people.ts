/** Signing in, one's own sessions, and links that work once: for the dashboard's pages. */
import {
  ChangeNameRequest,
  ChangePasswordRequest,
  ConfirmSessionRequest,
  LinkAnswer,
  ListSessionsAnswer,
  LookAtLinkRequest,
  SessionAnswer,
  SessionParams,
  SignInRequest,
  UseLinkRequest,
} from '@vidgen/contract/people.ts';
import type { AnswerDescription, Examples, RouteDescription } from '../route-description.ts';
import { link, listedSession, session, token } from './people-samples.ts';
import { bodyRefused, personRefusals, refusalExample } from './refusals.ts';

const tag = 'People';
const one = (summary: string, value: unknown): Examples => ({ one: { summary, value } });
const wrong = (message: string) => ({
  invalid_request: refusalExample('invalid_request', message),
});
const tooOften = {
  rate_limited: refusalExample(
    'rate_limited',
    'There were too many wrong passwords lately: try again in 8 s.',
  ),
};
const wrongPassword = {
  invalid_api_key: refusalExample('invalid_api_key', 'The password is wrong.'),
};
const deadLink = {
  not_found: refusalExample(
    'not_found',
    'This link does not work any more: it was used, replaced or has expired. Ask for a new one.',
  ),
};

const signedIn = (description: string): AnswerDescription => ({
  description,
  schema: SessionAnswer,
  examples: one('A member of one account', session),
  headers: ['Set-Cookie'],
});

export const signIn: RouteDescription = {
  operationId: 'signIn',
  method: 'POST',
  path: '/session',
  summary: 'Sign in',
  description:
    'Wrong passwords are slowed down by person and by network. Only pages of this service may ask.',
  tag,
  auth: 'none',
  body: SignInRequest,
  requestExamples: one('With a password', {
    email: 'ada@example.com',
    password: 'a boat of folded paper',
  }),
  answers: {
    201: signedIn('Signed in; the cookie holds the session.'),
    ...personRefusals(['invalid_request', 'forbidden', 'rate_limited'], {
      ...wrong('password is required'),
      ...tooOften,
      invalid_api_key: refusalExample(
        'invalid_api_key',
        'The e-mail address or the password is wrong.',
      ),
    }),
  },
};

export const getSession: RouteDescription = {
  operationId: 'getSession',
  method: 'GET',
  path: '/session',
  summary: 'Who is signed in',
  tag,
  auth: 'person',
  answers: {
    200: {
      description: 'The person, their accounts and the session.',
      schema: SessionAnswer,
      examples: one('A member of one account', session),
    },
    ...personRefusals([]),
  },
};

export const signOut: RouteDescription = {
  operationId: 'signOut',
  method: 'DELETE',
  path: '/session',
  summary: 'Sign out',
  tag,
  auth: 'person',
  answers: {
    204: { description: 'The session has ended.', headers: ['Set-Cookie'] },
    ...personRefusals(['invalid_request', 'forbidden'], bodyRefused),
  },
};

export const confirmSession: RouteDescription = {
  operationId: 'confirmSession',
  method: 'POST',
  path: '/session/confirm',
  summary: 'Give the password again',
  description: 'Lets the session touch keys and money for ten minutes, under a new token.',
  tag,
  auth: 'person',
  body: ConfirmSessionRequest,
  requestExamples: one('The password', { password: 'a boat of folded paper' }),
  answers: {
    200: signedIn('Confirmed.'),
    ...personRefusals(['invalid_request', 'forbidden', 'rate_limited'], {
      ...wrong('password is required'),
      ...wrongPassword,
      ...tooOften,
    }),
  },
};

export const changePassword: RouteDescription = {
  operationId: 'changePassword',
  method: 'POST',
  path: '/session/password',
  summary: 'Change the password',
  description: 'All other sessions of the person end.',
  tag,
  auth: 'person',
  body: ChangePasswordRequest,
  requestExamples: one('Old and new', {
    current_password: 'a boat of folded paper',
    new_password: 'a kite of rice paper',
  }),
  answers: {
    200: signedIn('Changed.'),
    ...personRefusals(['invalid_request', 'forbidden', 'rate_limited'], {
      ...wrong('new_password must have at least 12 characters'),
      ...wrongPassword,
      ...tooOften,
    }),
  },
};

export const changeName: RouteDescription = {
  operationId: 'changeName',
  method: 'POST',
  path: '/session/name',
  summary: 'Change one’s name',
  description: 'How other people of the account and operators are shown the person.',
  tag,
  auth: 'person',
  body: ChangeNameRequest,
  requestExamples: one('Another name', { name: 'Ada Berg' }),
  answers: {
    200: {
      description: 'Changed.',
      schema: SessionAnswer,
      examples: one('A member of one account', session),
    },
    ...personRefusals(['invalid_request', 'forbidden'], wrong('name is required')),
  },
};

export const listSessions: RouteDescription = {
  operationId: 'listSessions',
  method: 'GET',
  path: '/sessions',
  summary: 'Where one is signed in',
  description: 'Newest first. A session ends after 7 days unused and after 30 in any case.',
  tag,
  auth: 'person',
  answers: {
    200: {
      description: 'One’s own sessions.',
      schema: ListSessionsAnswer,
      examples: one('This browser', { items: [listedSession], next_cursor: null }),
    },
    ...personRefusals([]),
  },
};

export const endSession: RouteDescription = {
  operationId: 'endSession',
  method: 'DELETE',
  path: '/sessions/:id',
  summary: 'End a session',
  tag,
  auth: 'person',
  params: SessionParams,
  answers: {
    204: { description: 'It has ended.' },
    ...personRefusals(['invalid_request', 'forbidden', 'not_found'], {
      ...bodyRefused,
      not_found: refusalExample('not_found', 'You have no session with this id.'),
    }),
  },
};

export const lookAtLink: RouteDescription = {
  operationId: 'lookAtLink',
  method: 'POST',
  path: '/links/look',
  summary: 'What a link is for',
  description: 'Without using it up.',
  tag,
  auth: 'none',
  body: LookAtLinkRequest,
  requestExamples: one('A link', { token }),
  answers: {
    200: {
      description: 'The link works.',
      schema: LinkAnswer,
      examples: one('An invitation to an account', link),
    },
    ...personRefusals(
      ['invalid_request', 'not_found'],
      {
        ...wrong('token is required'),
        ...deadLink,
      },
      { isOpen: true },
    ),
  },
};

export const useLink: RouteDescription = {
  operationId: 'useLink',
  method: 'POST',
  path: '/links/use',
  summary: 'Use a link',
  description:
    'Whoever is signed in and gives no `email` joins as that person. Others give `name`, `email` ' +
    'and a new `password`, or the password of the person they are already. A link for a new ' +
    'password takes only that, and ends the sessions of the old one.',
  tag,
  auth: 'none',
  body: UseLinkRequest,
  requestExamples: {
    join: {
      summary: 'Join as somebody new',
      value: {
        token,
        name: 'Ada Berg',
        email: 'ada@example.com',
        password: 'a boat of folded paper',
      },
    },
    reset: { summary: 'A new password', value: { token, password: 'a kite of rice paper' } },
  },
  answers: {
    201: signedIn('Signed in; the link is used up.'),
    ...personRefusals(['invalid_request', 'forbidden', 'not_found', 'rate_limited'], {
      ...wrong('name is required'),
      ...deadLink,
      ...tooOften,
      invalid_api_key: refusalExample(
        'invalid_api_key',
        'Somebody with this e-mail address exists already, and the password is another.',
      ),
    }),
  },
};
