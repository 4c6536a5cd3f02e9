/** An authenticator app for tests. */
import { totpCode, totpStep } from '../../server/accounts/people/totp.ts';
import type { Database } from '../../server/database/database.ts';
import { unixSeconds } from '../../server/process/clock.ts';

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export type AuthenticatorApp = ReturnType<typeof openAuthenticator>;

/** With the secret in base32, as the enrollment shows it. */
export function openAuthenticator(db: Database, secret: string) {
  const digits = [...secret.replaceAll(' ', '')].map((one) => letters.indexOf(one));
  const bits = digits.map((digit) => digit.toString(2).padStart(5, '0')).join('');
  const bytes = Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)));
  const codeAt = (stepsApart: number) => totpCode(bytes, totpStep(unixSeconds()) + stepsApart);
  return {
    codeAt,
    /** The code of now, which works even if it was used before, as if time had passed. */
    async code(): Promise<string> {
      await db.query('update second_factors set last_step = 0');
      return codeAt(0);
    },
  };
}
