/** Checks a code of the second factor. Attempts are throttled, and counted before the check. */

import { ApiError } from '@vidgen/contract/api-error.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import type { PersonIdentity } from '../../accounts/people/person.ts';
import { secondFactorKeys, useCode } from '../../accounts/people/second-factor.ts';
import {
  clearPasswordAttempt,
  countPasswordAttempt,
  type PasswordAttempt,
} from '../../accounts/people/sign-in-throttle.ts';
import type { Transaction } from '../../database/database.ts';
import type { ApiServices } from '../http/handler.ts';
import { wrongCode } from './samples.ts';

/** Uses up the code in the transaction that relies on it. Throws if it is wrong. */
type CodeProof = { accept(tx: Transaction): Promise<void> };

export async function authenticateCode(
  { lifecycle: { db }, secret }: ApiServices,
  input: {
    readonly person: Pick<PersonIdentity, 'id' | 'email'>;
    readonly code: string;
    readonly attempt: PasswordAttempt;
  },
): Promise<CodeProof> {
  const { person, code, attempt } = input;
  await db.transaction((tx) => countPasswordAttempt(tx, attempt));
  return {
    async accept(tx) {
      const personId = person.id;
      const used = await useCode(tx, secondFactorKeys(secret), { personId, code });
      if (used === null) throw new ApiError('invalid_api_key', wrongCode);
      await clearPasswordAttempt(tx, attempt);
      if (used !== 'recovery') return;
      const action = 'person.use_recovery_code';
      await recordAudit(tx, { actor: person.email, action, subject: personId });
    },
  };
}
