/**
 * Checks a person's password. Attempts are throttled, and an unknown email address takes as long
 * as a known one. Hashing is slow, so it runs outside of transactions; `accept` checks again.
 */

import { ApiError } from '@vidgen/contract/api-error.ts';
import { clientNetwork } from '../../accounts/people/client-network.ts';
import { hashPassword, verifyPassword } from '../../accounts/people/password.ts';
import {
  findLogin,
  isPasswordUnchanged,
  type Person,
  setPasswordHash,
} from '../../accounts/people/person.ts';
import {
  clearPasswordAttempt,
  countPasswordAttempt,
  type PasswordAttempt,
} from '../../accounts/people/sign-in-throttle.ts';
import type { Transaction } from '../../database/database.ts';
import { createKeyedSemaphore } from '../../egress/keyed-semaphore.ts';
import { knownDevice } from '../http/device-cookie.ts';
import type { ApiRequest, ApiServices } from '../http/handler.ts';

/**
 * Attempts of a network, device or session that are under way at once. Each counts as failed until
 * its password was checked, so that more of them would use up the free ones although all are right.
 */
const slots = createKeyedSemaphore(2);

type SignIn = Exclude<PasswordAttempt, { readonly personId: string }>;

export const wrongPassword = 'Incorrect password.';

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

export async function authenticatePassword(
  services: ApiServices,
  request: ApiRequest,
  input: PasswordInput,
): Promise<PasswordProof> {
  const { email, failureMessage, sessionId } = input;
  const attempt: SignIn =
    sessionId === undefined
      ? {
          email,
          remoteAddress: request.remoteAddress(),
          knownDevice: knownDevice(services, request, email),
        }
      : { sessionId };
  const release = await slots.acquire(callerOf(attempt), request.abortSignal());
  const { found, newHash } = await checkPassword(services, attempt, input).finally(release);
  const { passwordHash, ...person } = found;
  const personId = person.id;
  const issuer = services.openid?.settings.issuer;
  return {
    person,
    async accept(tx) {
      if (!(await isPasswordUnchanged(tx, { personId, passwordHash, issuer }))) {
        throw new ApiError('invalid_api_key', failureMessage);
      }
      if (newHash !== null) await setPasswordHash(tx, { personId, passwordHash: newHash });
    },
  };
}

const callerOf = (attempt: SignIn): string =>
  'sessionId' in attempt
    ? attempt.sessionId
    : (attempt.knownDevice ?? clientNetwork(attempt.remoteAddress));

async function checkPassword(
  { lifecycle: { db }, openid }: ApiServices,
  attempt: SignIn,
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
