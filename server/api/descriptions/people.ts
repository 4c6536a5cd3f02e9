/** Signing in, one's own sessions, and links that work once: for the dashboard's pages. */
import {
  ChangeNameRequest,
  ChangePasswordRequest,
  ConfirmSessionRequest,
  InspectLinkRequest,
  LinkResponse,
  ListSessionsResponse,
  SessionParams,
  SessionResponse,
  SignInRequest,
  UseLinkRequest,
} from '@vidgen/contract/people.ts';
import { bodyErrors, errorExample, sessionErrors } from './errors.ts';
import { link, listedSession, session, token } from './people-samples.ts';
import type { Examples, ResponseDescription, RouteDescription } from './route-description.ts';

const tag = 'People';
const example = (summary: string, value: unknown): Examples => ({ example: { summary, value } });
const invalidRequest = (message: string) => ({
  invalid_request: errorExample('invalid_request', message),
});
const rateLimited = {
  rate_limited: errorExample(
    'rate_limited',
    'There were too many wrong passwords lately: try again in 8 s.',
  ),
};
const wrongPassword = {
  invalid_api_key: errorExample('invalid_api_key', 'The password is wrong.'),
};
const invalidLink = {
  not_found: errorExample(
    'not_found',
    'This link does not work any more: it was used, replaced or has expired. Ask for a new one.',
  ),
};

const signedInResponse = (description: string): ResponseDescription => ({
  description,
  schema: SessionResponse,
  examples: example('A member of one account', session),
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
  requestExamples: example('With a password', {
    email: 'ada@example.com',
    password: 'a boat of folded paper',
  }),
  responses: {
    201: signedInResponse('Signed in; the cookie holds the session.'),
    ...sessionErrors(['invalid_request', 'forbidden', 'rate_limited'], {
      ...invalidRequest('password is required'),
      ...rateLimited,
      invalid_api_key: errorExample(
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
  responses: {
    200: {
      description: 'The person, their accounts and the session.',
      schema: SessionResponse,
      examples: example('A member of one account', session),
    },
    ...sessionErrors([]),
  },
};

export const signOut: RouteDescription = {
  operationId: 'signOut',
  method: 'DELETE',
  path: '/session',
  summary: 'Sign out',
  tag,
  auth: 'person',
  responses: {
    204: { description: 'The session has ended.', headers: ['Set-Cookie'] },
    ...sessionErrors(['invalid_request', 'forbidden'], bodyErrors),
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
  requestExamples: example('The password', { password: 'a boat of folded paper' }),
  responses: {
    200: signedInResponse('Confirmed.'),
    ...sessionErrors(['invalid_request', 'forbidden', 'rate_limited'], {
      ...invalidRequest('password is required'),
      ...wrongPassword,
      ...rateLimited,
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
  requestExamples: example('Old and new', {
    current_password: 'a boat of folded paper',
    new_password: 'a kite of rice paper',
  }),
  responses: {
    200: signedInResponse('Changed.'),
    ...sessionErrors(['invalid_request', 'forbidden', 'rate_limited'], {
      ...invalidRequest('new_password must have at least 12 characters'),
      ...wrongPassword,
      ...rateLimited,
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
  requestExamples: example('Another name', { name: 'Ada Berg' }),
  responses: {
    200: {
      description: 'Changed.',
      schema: SessionResponse,
      examples: example('A member of one account', session),
    },
    ...sessionErrors(['invalid_request', 'forbidden'], invalidRequest('name is required')),
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
  responses: {
    200: {
      description: 'One’s own sessions.',
      schema: ListSessionsResponse,
      examples: example('This browser', { items: [listedSession], next_cursor: null }),
    },
    ...sessionErrors([]),
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
  responses: {
    204: { description: 'It has ended.' },
    ...sessionErrors(['invalid_request', 'forbidden', 'not_found'], {
      ...bodyErrors,
      not_found: errorExample('not_found', 'You have no session with this id.'),
    }),
  },
};

export const inspectLink: RouteDescription = {
  operationId: 'lookAtLink',
  method: 'POST',
  path: '/links/look',
  summary: 'What a link is for',
  description: 'Without using it up.',
  tag,
  auth: 'none',
  body: InspectLinkRequest,
  requestExamples: example('A link', { token }),
  responses: {
    200: {
      description: 'The link works.',
      schema: LinkResponse,
      examples: example('An invitation to an account', link),
    },
    ...sessionErrors(
      ['invalid_request', 'not_found'],
      {
        ...invalidRequest('token is required'),
        ...invalidLink,
      },
      { isPublic: true },
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
  responses: {
    201: signedInResponse('Signed in; the link is used up.'),
    ...sessionErrors(['invalid_request', 'forbidden', 'not_found', 'rate_limited'], {
      ...invalidRequest('name is required'),
      ...invalidLink,
      ...rateLimited,
      invalid_api_key: errorExample(
        'invalid_api_key',
        'Somebody with this e-mail address exists already, and the password is another.',
      ),
    }),
  },
};
