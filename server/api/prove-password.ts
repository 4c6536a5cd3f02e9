/**
 * Is it the person's password? Throttled, and as slow for who does not exist. Hashing takes its
 * time, so it happens outside of transactions; what follows from it is checked again inside.
 */
import { hashPassword, verifyPassword } from '../accounts/password.ts';
import { findByEmail, isStillSo, type Person, setPasswordHash } from '../accounts/person.ts';
import { countTry, forgiveTry } from '../accounts/sign-in-throttle.ts';
import type { Transaction } from '../database/database.ts';
import { Refusal } from '../refusal.ts';
import type { Asked, Service } from './service.ts';

export type Proof = {
  readonly person: Person;
  /** In the transaction that lets the person do something. */
  accept(tx: Transaction): Promise<void>;
};

export async function provePassword(
  { lifecycle: { db } }: Service,
  { remoteAddress }: Pick<Asked, 'remoteAddress'>,
  { email, password, wrong }: { email: string; password: string; wrong: string },
): Promise<Proof> {
  const attempt = { email, remoteAddress };
  await db.transaction((tx) => countTry(tx, attempt));
  const found = await findByEmail(db, email);
  const { isRight, isOutdated } = await verifyPassword(password, found?.passwordHash ?? null);
  if (!found || !isRight) throw new Refusal('invalid_api_key', wrong);
  const { passwordHash, ...person } = found;
  const personId = person.id;
  const better = isOutdated ? await hashPassword(password) : null;
  return {
    person,
    async accept(tx) {
      if (!(await isStillSo(tx, { personId, passwordHash }))) {
        throw new Refusal('invalid_api_key', wrong);
      }
      await forgiveTry(tx, attempt);
      if (better !== null) await setPasswordHash(tx, { personId, passwordHash: better });
    },
  };
}
