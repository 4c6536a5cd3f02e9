/**
 * The second factor of people who sign in with a password: codes of an authenticator app, and ten
 * recovery codes for a lost device. Every code works once. The secret of the app is stored
 * encrypted, recovery codes as HMACs.
 */
import { createHmac, randomInt } from 'node:crypto';
import { createSealer, type Sealer } from '../../crypto/seal.ts';
import type { Queryable, Transaction } from '../../database/database.ts';
import { deriveKey } from '../installation-secret.ts';
import { findTotpStep, newTotpSecret } from './totp.ts';

const recoveryCodesCount = 10;
/** Without letters and digits that look alike: 50 bits in 10 of them. */
const recoveryLetters = 'abcdefghijkmnpqrstuvwxyz23456789';
const recoveryPattern = /^[a-km-np-z2-9]{10}$/;

export type SecondFactorKeys = { readonly sealer: Sealer; readonly codes: Buffer };

export const secondFactorKeys = (secret: string): SecondFactorKeys => ({
  sealer: createSealer(deriveKey(secret, 'second factors')),
  codes: deriveKey(secret, 'recovery codes'),
});

export type SecondFactor = { readonly enabledAt: Date; readonly recoveryCodesLeft: number };

/** Null unless it is enabled. */
export async function getSecondFactor(
  db: Queryable,
  personId: string,
): Promise<SecondFactor | null> {
  const { rows } = await db.query<SecondFactor>(
    `select enabled_at as "enabledAt", (
       select count(*)::int from recovery_codes where person_id = $1 and used_at is null
     ) as "recoveryCodesLeft"
     from second_factors where person_id = $1 and enabled_at is not null`,
    [personId],
  );
  return rows[0] ?? null;
}

export async function hasSecondFactor(db: Queryable, personId: string): Promise<boolean> {
  const { rows } = await db.query(
    'select 1 from second_factors where person_id = $1 and enabled_at is not null',
    [personId],
  );
  return rows.length > 0;
}

/** Starts an enrollment, or starts it again. Returns null if a second factor is enabled already. */
export async function startEnrollment(
  tx: Transaction,
  { sealer }: SecondFactorKeys,
  personId: string,
): Promise<Buffer | null> {
  const secret = newTotpSecret();
  const { rowCount } = await tx.query(
    `insert into second_factors as f (person_id, secret) values ($1, $2)
     on conflict (person_id) do update set secret = excluded.secret, last_step = 0
     where f.enabled_at is null`,
    [personId, sealer.seal(personId, secret.toString('base64'))],
  );
  return rowCount > 0 ? secret : null;
}

/** Enables the second factor. Returns false if the code is wrong or no enrollment was started. */
export async function enableSecondFactor(
  tx: Transaction,
  keys: SecondFactorKeys,
  { personId, code }: { personId: string; code: string },
): Promise<boolean> {
  if (!(await useTotpCode(tx, keys, { personId, code, isEnabled: false }))) return false;
  await tx.query('update second_factors set enabled_at = now() where person_id = $1', [personId]);
  return true;
}

/**
 * Uses up a code of the app or a recovery code. Returns which it was, or null if it is wrong or was
 * used before. Locks the second factor, so that of two concurrent uses one succeeds.
 */
export async function useCode(
  tx: Transaction,
  keys: SecondFactorKeys,
  { personId, code }: { personId: string; code: string },
): Promise<'app' | 'recovery' | null> {
  const typed = code.replaceAll(/[\s-]/g, '').toLowerCase();
  if (await useTotpCode(tx, keys, { personId, code: typed, isEnabled: true })) return 'app';
  if (!recoveryPattern.test(typed)) return null;
  const { rowCount } = await tx.query(
    `update recovery_codes set used_at = now()
      where person_id = $1 and digest = $2 and used_at is null`,
    [personId, digestOf(keys, { personId, code: typed })],
  );
  return rowCount > 0 ? 'recovery' : null;
}

async function useTotpCode(
  tx: Transaction,
  { sealer }: SecondFactorKeys,
  { personId, code, isEnabled }: { personId: string; code: string; isEnabled: boolean },
): Promise<boolean> {
  const { rows } = await tx.query<{ secret: Buffer; lastStep: number; unixSeconds: number }>(
    `select secret, last_step::float8 as "lastStep",
            extract(epoch from clock_timestamp())::float8 as "unixSeconds"
       from second_factors where person_id = $1 and (enabled_at is not null) = $2
        for no key update`,
    [personId, isEnabled],
  );
  const found = rows[0];
  if (!found) return false;
  const secret = Buffer.from(sealer.open(personId, found.secret), 'base64');
  const step = findTotpStep(secret, { ...found, code });
  if (step === null) return false;
  await tx.query('update second_factors set last_step = $2 where person_id = $1', [personId, step]);
  return true;
}

/** Replaces all recovery codes of the person. They are returned here and cannot be read again. */
export async function createRecoveryCodes(
  tx: Transaction,
  keys: SecondFactorKeys,
  personId: string,
): Promise<string[]> {
  const codes = Array.from({ length: recoveryCodesCount }, () =>
    Array.from({ length: 10 }, () => recoveryLetters[randomInt(recoveryLetters.length)]).join(''),
  );
  await tx.query('delete from recovery_codes where person_id = $1', [personId]);
  await tx.query('insert into recovery_codes (person_id, digest) select $1, unnest($2::text[])', [
    personId,
    codes.map((code) => digestOf(keys, { personId, code })),
  ]);
  return codes.map((code) => `${code.slice(0, 5)}-${code.slice(5)}`);
}

/** Returns false if the person had none. */
export async function removeSecondFactor(tx: Transaction, personId: string): Promise<boolean> {
  // The second factor before its codes, as `useCode` locks them. The other order can deadlock.
  const { rows } = await tx.query<{ wasEnabled: boolean }>(
    `delete from second_factors where person_id = $1
     returning enabled_at is not null as "wasEnabled"`,
    [personId],
  );
  await tx.query('delete from recovery_codes where person_id = $1', [personId]);
  return rows[0]?.wasEnabled ?? false;
}

const digestOf = (
  { codes }: SecondFactorKeys,
  { personId, code }: { readonly personId: string; readonly code: string },
): string => createHmac('sha256', codes).update(`${personId}\n${code}`).digest('hex');
