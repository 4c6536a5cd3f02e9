/**
 * Slows down password guessing per person and per network. Counts in the database, so all processes
 * share the counters. Waits grow but no one is locked out. An attempt is counted before the
 * password is checked, so that concurrent attempts gain nothing over sequential ones.
 */
import { createHash } from 'node:crypto';
import { ApiError } from '../api-error.ts';
import type { Transaction } from '../database/database.ts';
import { clientNetwork } from './client-network.ts';
import { normalizeEmail } from './person.ts';

/** A network can be a whole office, or a proxy in front of the service. */
const freeAttempts = { person: 5, network: 30 } as const;
const waitSecondsMax = 60;
const resetAfter = `interval '1 hour'`;

export type SignInAttempt = { readonly email: string; readonly remoteAddress: string | undefined };

const kinds = ['person', 'network'] as const;
type Scope = { readonly kind: (typeof kinds)[number]; readonly name: string };

/** Email addresses are stored as digests: a mistyped or guessed one must not be kept. */
const scopesOf = ({ email, remoteAddress }: SignInAttempt): Scope[] => {
  const person = createHash('sha256').update(normalizeEmail(email)).digest('hex');
  return [
    { kind: 'network', name: `network ${clientNetwork(remoteAddress)}` },
    { kind: 'person', name: `person ${person}` },
  ];
};

/**
 * Counts an attempt as failed until `clearSignInAttempt`. Throws `rate_limited`, without counting,
 * while the person or the network must wait.
 */
export async function countSignInAttempt(tx: Transaction, attempt: SignInAttempt): Promise<void> {
  for (const { kind, name } of scopesOf(attempt)) {
    const { rowCount } = await tx.query(
      `insert into sign_in_troubles as t (scope, tries, last_try_at, blocked_until)
       values ($1, 1, now(), now())
       on conflict (scope) do update set
         tries = case when t.last_try_at < now() - ${resetAfter} then 1 else t.tries + 1 end,
         last_try_at = now(),
         blocked_until = case
           when t.last_try_at < now() - ${resetAfter} or t.tries + 1 < $2::int then now()
           else now() + least(2 ^ least(t.tries + 1 - $2::int, 20), $3::int) * interval '1 second'
         end
       where t.blocked_until <= now()`,
      [name, freeAttempts[kind], waitSecondsMax],
    );
    if (rowCount === 0) throw await tooManyAttempts(tx, name);
  }
}

/**
 * Called after a correct password: resets the person and takes one failed attempt off the network.
 */
export async function clearSignInAttempt(tx: Transaction, attempt: SignInAttempt): Promise<void> {
  const [network, person] = scopesOf(attempt) as [Scope, Scope];
  await tx.query(
    `update sign_in_troubles set tries = tries - 1, blocked_until = now()
      where scope = $1 and tries > 1`,
    [network.name],
  );
  await tx.query('delete from sign_in_troubles where scope = $1', [person.name]);
}

export async function deleteOldSignInFailures(tx: Transaction): Promise<void> {
  await tx.query(`delete from sign_in_troubles where last_try_at < now() - ${resetAfter}`);
}

async function tooManyAttempts(tx: Transaction, scope: string): Promise<ApiError> {
  const { rows } = await tx.query<{ seconds: number }>(
    `select greatest(1, ceil(extract(epoch from blocked_until - now())))::int as seconds
       from sign_in_troubles where scope = $1`,
    [scope],
  );
  const retryAfter = rows[0]?.seconds ?? 1;
  return new ApiError(
    'rate_limited',
    `Too many failed sign-in attempts; try again in ${retryAfter} seconds.`,
    { retryAfter },
  );
}
