/**
 * Is it the person's password? Throttled, and as slow for who does not exist. Hashing takes its
 * time, so it happens outside of transactions; what follows from it is checked again inside.
 */
import { hashPassword, verifyPassword } from '../../accounts/password.ts';
import {
  findByEmail,
  isPasswordUnchanged,
  type Person,
  setPasswordHash,
} from '../../accounts/person.ts';
import { clearSignInAttempt, countSignInAttempt } from '../../accounts/sign-in-throttle.ts';
import { ApiError } from '../../api-error.ts';
import type { Transaction } from '../../database/database.ts';
import type { ApiRequest, ApiServices } from '../http/handler.ts';

export type PasswordProof = {
  readonly person: Person;
  /** In the transaction that lets the person do something. */
  accept(tx: Transaction): Promise<void>;
};

export async function authenticatePassword(
  { lifecycle: { db } }: ApiServices,
  { remoteAddress }: Pick<ApiRequest, 'remoteAddress'>,
  { email, password, failureMessage }: { email: string; password: string; failureMessage: string },
): Promise<PasswordProof> {
  const attempt = { email, remoteAddress };
  await db.transaction((tx) => countSignInAttempt(tx, attempt));
  const found = await findByEmail(db, email);
  const { isCorrect, isOutdated } = await verifyPassword(password, found?.passwordHash ?? null);
  if (!found || !isCorrect) throw new ApiError('invalid_api_key', failureMessage);
  const { passwordHash, ...person } = found;
  const personId = person.id;
  const newHash = isOutdated ? await hashPassword(password) : null;
  return {
    person,
    async accept(tx) {
      if (!(await isPasswordUnchanged(tx, { personId, passwordHash }))) {
        throw new ApiError('invalid_api_key', failureMessage);
      }
      await clearSignInAttempt(tx, attempt);
      if (newHash !== null) await setPasswordHash(tx, { personId, passwordHash: newHash });
    },
  };
}
