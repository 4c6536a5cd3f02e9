/**
 * Checks a person's password. Attempts are throttled, and an unknown email address takes as long
 * as a known one. Hashing is slow, so it runs outside of transactions; `accept` checks again.
 */
import { hashPassword, verifyPassword } from '../../accounts/password.ts';
import {
  findLogin,
  isPasswordUnchanged,
  type Person,
  setPasswordHash,
} from '../../accounts/person.ts';
import {
  clearPasswordAttempt,
  countPasswordAttempt,
  type PasswordAttempt,
} from '../../accounts/sign-in-throttle.ts';
import { ApiError } from '../../api-error.ts';
import type { Transaction } from '../../database/database.ts';
import { knownDevice } from '../http/device-cookie.ts';
import type { ApiRequest, ApiServices } from '../http/handler.ts';

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
  { email, password, failureMessage, sessionId }: PasswordInput,
): Promise<PasswordProof> {
  const { db } = services.lifecycle;
  const attempt: PasswordAttempt =
    sessionId === undefined
      ? {
          email,
          remoteAddress: request.remoteAddress(),
          knownDevice: knownDevice(services, request, email),
        }
      : { sessionId };
  await db.transaction((tx) => countPasswordAttempt(tx, attempt));
  const issuer = services.openid?.settings.issuer;
  const found = await findLogin(db, email, { issuer });
  const isKnown = 'sessionId' in attempt || Boolean(attempt.knownDevice);
  const stored = found?.passwordHash ?? null;
  const { isCorrect, isOutdated } = await verifyPassword(password, stored, { isKnown });
  if (!found?.passwordHash || !isCorrect) throw new ApiError('invalid_api_key', failureMessage);
  const { passwordHash, ...person } = found;
  const personId = person.id;
  const newHash = isOutdated ? await hashPassword(password) : null;
  return {
    person,
    async accept(tx) {
      if (!(await isPasswordUnchanged(tx, { personId, passwordHash, issuer }))) {
        throw new ApiError('invalid_api_key', failureMessage);
      }
      await clearPasswordAttempt(tx, attempt);
      if (newHash !== null) await setPasswordHash(tx, { personId, passwordHash: newHash });
    },
  };
}
