/** Sign-in by email address and password, and links by mail for people who forgot theirs. */
import { ApiError, invalidRequest } from '@vidgen/contract/api-error.ts';
import { ForgotPasswordRequest, SignInRequest } from '@vidgen/contract/people.ts';
import { SignInMethodsResponse } from '@vidgen/contract/sign-in.ts';
import { clientNetwork } from '../../accounts/people/client-network.ts';
import { hashPassword, verifyPassword } from '../../accounts/people/password.ts';
import {
  findLogin,
  hasAdministrator,
  isPasswordUnchanged,
  type Person,
  setPasswordHash,
} from '../../accounts/people/person.ts';
import {
  clearPasswordAttempt,
  countPasswordAttempt,
  countPasswordRequest,
  type PasswordAttempt,
} from '../../accounts/people/sign-in-throttle.ts';
import type { Transaction } from '../../database/database.ts';
import { createKeyedSemaphore } from '../../egress/keyed-semaphore.ts';
import { passwordRequest } from '../../lifecycle/notices/send-messages.ts';
import { insertMessage } from '../../messages/outbox.ts';
import { knownDevice } from '../http/device-cookie.ts';
import { endpoint, jsonResponse } from '../http/endpoint.ts';
import type { ApiRequest, ApiServices } from '../http/handler.ts';
import { tooManyPasswords } from './samples.ts';
import { pendingSignIn, secondStepDescription, secondStepResponse } from './second-step.ts';
import { sessionResponse, signedInDescription, startSession } from './session-response.ts';

const failureMessage = 'Incorrect email or password.';

const signIn = endpoint({
  operationId: 'signIn',
  method: 'POST',
  path: '/session',
  summary: 'Sign in',
  description:
    'Wrong passwords are slowed down by person and by network. Only pages of this service can ' +
    'sign in.',
  auth: 'none',
  optionalSession: true,
  body: SignInRequest,
  requestExamples: {
    one: ['With a password', { email: 'ada@example.com', password: 'a boat of folded paper' }],
  },
  responses: {
    201: signedInDescription('Signed in; the cookie holds the session.'),
    202: secondStepDescription,
  },
  errors: {
    invalid_request: 'password is required',
    invalid_api_key: failureMessage,
    rate_limited: tooManyPasswords,
  },
  async handler(services, request) {
    const attempt = { ...request.body, failureMessage };
    const proof = await authenticatePassword(services, request, attempt);
    const { person } = proof;
    const result = await services.lifecycle.db.transaction(async (tx) => {
      await proof.accept(tx);
      const pending = await pendingSignIn(services, tx, person.id);
      return pending ? { pending } : { session: await startSession(tx, request, person.id) };
    });
    if ('pending' in result) return secondStepResponse(services, result.pending);
    return await sessionResponse(services, request, { person, ...result, status: 201 });
  },
});

/** For the pages before the sign-in. */
const listSignInMethods = endpoint({
  operationId: 'listSignInMethods',
  method: 'GET',
  path: '/session/methods',
  summary: 'Get sign-in methods',
  auth: 'none',
  responses: {
    200: jsonResponse('Beside a password.', SignInMethodsResponse, {
      one: [
        'A provider',
        { openid: { name: 'Example' }, sends_mail: true, awaits_administrator: false },
      ],
    }),
  },
  async handler({ lifecycle: { db }, openid, messages }) {
    const body: SignInMethodsResponse = {
      openid: openid && { name: openid.settings.name },
      sends_mail: messages.mailer !== null,
      awaits_administrator: !(await hasAdministrator(db)),
    };
    return { body };
  },
});

const noMail =
  'This installation sends no email; ask an administrator for a link to set a new password.';

/**
 * Does the same for every address: whether a person has it is decided when the mail is sent
 * (`lifecycle/notices/send-messages.ts`).
 */
const forgotPassword = endpoint({
  operationId: 'forgotPassword',
  method: 'POST',
  path: '/session/forgot',
  summary: 'Request a password reset link',
  description:
    'The response is the same whether or not a person has this address. At most 3 per hour and ' +
    'address, and 20 per hour and network. The link works once, for a day; earlier links still ' +
    'work.',
  auth: 'none',
  optionalSession: true,
  body: ForgotPasswordRequest,
  requestExamples: { one: ['An address', { email: 'ada@example.com' }] },
  responses: { 204: { description: 'A mail is sent if a person has this address.' } },
  errors: {
    invalid_request: noMail,
    rate_limited: 'Too many password resets; try again in 20 minutes.',
    internal_error: true,
  },
  async handler({ lifecycle: { db }, messages }, { body: { email }, remoteAddress }) {
    if (messages.mailer === null) throw invalidRequest(noMail);
    await db.transaction(async (tx) => {
      await countPasswordRequest(tx, { email, remoteAddress: remoteAddress() });
      const kind = passwordRequest;
      await insertMessage(tx, messages.sealer, { channel: 'mail', kind, recipient: email });
    });
    return { status: 204 };
  },
});

/**
 * Attempts of a network, device or session that are under way at once. Each counts as failed until
 * its password was checked, so that more of them would use up the free ones although all are right.
 */
const slots = createKeyedSemaphore(2);

type SignInAttempt = Exclude<PasswordAttempt, { readonly personId: string }>;

type PasswordProof = {
  readonly person: Person;
  /** Call in the transaction that relies on the password. Throws if it has changed since. */
  accept(tx: Transaction): Promise<void>;
};

type PasswordInput = {
  readonly email: string;
  readonly password: string;
  readonly failureMessage: string;
  /** Set when a signed-in person enters the password again. */
  readonly sessionId?: string;
};

/**
 * Checks a person's password. Attempts are throttled, and an unknown email address takes as long
 * as a known one. Hashing is slow, so it runs outside of transactions; `accept` checks again.
 */
export async function authenticatePassword(
  services: ApiServices,
  request: ApiRequest,
  input: PasswordInput,
): Promise<PasswordProof> {
  const { email, sessionId } = input;
  const remoteAddress = request.remoteAddress();
  const device = knownDevice(services, request, email);
  const attempt: SignInAttempt =
    sessionId === undefined ? { email, remoteAddress, knownDevice: device } : { sessionId };
  const caller = sessionId ?? device ?? clientNetwork(remoteAddress);
  const release = await slots.acquire(caller, request.abortSignal());
  const { found, newHash } = await checkPassword(services, attempt, input).finally(release);
  const { passwordHash, ...person } = found;
  const personId = person.id;
  const issuer = services.openid?.settings.issuer;
  return {
    person,
    async accept(tx) {
      if (!(await isPasswordUnchanged(tx, { personId, passwordHash, issuer }))) {
        throw new ApiError('invalid_api_key', input.failureMessage);
      }
      if (newHash !== null) await setPasswordHash(tx, { personId, passwordHash: newHash });
    },
  };
}

async function checkPassword(
  { lifecycle: { db }, openid }: ApiServices,
  attempt: SignInAttempt,
  { email, password, failureMessage }: PasswordInput,
) {
  await db.transaction((tx) => countPasswordAttempt(tx, attempt));
  const found = await findLogin(db, email, { issuer: openid?.settings.issuer });
  const isKnown = 'sessionId' in attempt || Boolean(attempt.knownDevice);
  const passwordHash = found?.passwordHash ?? null;
  const { isCorrect, isOutdated } = await verifyPassword(password, passwordHash, { isKnown });
  if (!found || passwordHash === null || !isCorrect) {
    throw new ApiError('invalid_api_key', failureMessage);
  }
  await db.transaction((tx) => clearPasswordAttempt(tx, attempt));
  const newHash = isOutdated ? await hashPassword(password) : null;
  return { found: { ...found, passwordHash }, newHash };
}

export const signInEndpoints = [signIn, listSignInMethods, forgotPassword];
