/**
 * Slows down password guessing. Counts in the database, so all processes share the counters. An
 * attempt is counted before the password is checked, so that concurrent attempts gain nothing over
 * sequential ones.
 *
 * Failed attempts of others must not lock a person out: they count by person and network, and a
 * device on which the person signed in before has a counter of its own, as every session has for
 * its confirmations. Over all networks, unknown devices share a loose limit per person.
 */
import { createHash } from 'node:crypto';
import { ApiError } from '@vidgen/contract/api-error.ts';
import type { Transaction } from '../../database/database.ts';
import { clientNetwork } from './client-network.ts';
import { normalizeEmail } from './person.ts';

/** Then each further attempt doubles the wait. A network can be a whole office, or a proxy. */
const freeAttempts = { network: 30, visitor: 5, device: 5, session: 5, code: 5 } as const;
const waitSecondsMax = 60;
/** A code has only six digits, and three of them are valid at a time. */
const codeWaitSecondsMax = 900;
const resetAfterSeconds = 3600;
const resetAfter = `interval '${resetAfterSeconds} seconds'`;
/** Far more than one network gets at one attempt a minute. */
const personAttemptsPerHourMax = 1000;

type SignInAttempt = {
  readonly email: string;
  readonly remoteAddress: string | undefined;
  /** The ID of a device on which the person signed in before. */
  readonly knownDevice?: string | null;
};

/** A signed-in person enters the password again. */
type ConfirmationAttempt = { readonly sessionId: string };

/** A code of the second factor: after the password, or of a signed-in person. */
type CodeAttempt = { readonly personId: string } & (
  | { readonly knownDevice: string | null }
  | { readonly sessionId: string }
);

export type PasswordAttempt = SignInAttempt | ConfirmationAttempt | CodeAttempt;

type Scope = { readonly kind: keyof typeof freeAttempts | 'person'; readonly name: string };

/** Email addresses are stored as digests: a mistyped or guessed one must not be kept. */
function scopesOf(attempt: PasswordAttempt): readonly Scope[] {
  if ('personId' in attempt) return [{ kind: 'code', name: codeScopeOf(attempt) }];
  if ('sessionId' in attempt) return [{ kind: 'session', name: `session ${attempt.sessionId}` }];
  const { email, remoteAddress, knownDevice } = attempt;
  if (knownDevice) return [{ kind: 'device', name: `device ${knownDevice}` }];
  const network = clientNetwork(remoteAddress);
  const digest = (...parts: string[]) =>
    createHash('sha256').update(parts.join('\n')).digest('hex');
  const person = normalizeEmail(email);
  return [
    { kind: 'network', name: `network ${network}` },
    { kind: 'visitor', name: `visitor ${digest(person, network)}` },
    { kind: 'person', name: `person ${digest(person)}` },
  ];
}

/**
 * Never a counter of passwords, which a correct password clears. Those who know the password must
 * not lock out the person, who has a device or a session.
 */
function codeScopeOf(attempt: CodeAttempt): string {
  if ('sessionId' in attempt) return `code in session ${attempt.sessionId}`;
  const { personId, knownDevice } = attempt;
  return knownDevice === null ? `code ${personId}` : `code on device ${knownDevice}`;
}

/**
 * Counts an attempt as failed until `clearPasswordAttempt`. Throws `rate_limited` while it must
 * wait; the transaction that it fails then counts nothing.
 */
export async function countPasswordAttempt(
  tx: Transaction,
  attempt: PasswordAttempt,
): Promise<void> {
  for (const { kind, name } of scopesOf(attempt)) {
    const isCounted =
      kind === 'person'
        ? await countSteadily(tx, name, personAttemptsPerHourMax)
        : await countWithDoubling(tx, name, kind);
    if (!isCounted) throw await tooManyAttempts(tx, { kind, name });
  }
}

async function countWithDoubling(
  tx: Transaction,
  name: string,
  kind: keyof typeof freeAttempts,
): Promise<boolean> {
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
    [name, freeAttempts[kind], kind === 'code' ? codeWaitSecondsMax : waitSecondsMax],
  );
  return rowCount > 0;
}

/**
 * Allows a number of attempts per hour, spread or at once: each moves `blocked_until` on by its
 * share of the hour, and there is room while that is less than an hour ahead.
 */
async function countSteadily(tx: Transaction, name: string, perHourMax: number): Promise<boolean> {
  const share = shareOf(perHourMax);
  const { rowCount } = await tx.query(
    `insert into sign_in_troubles as t (scope, tries, last_try_at, blocked_until)
     values ($1, 1, now(), now() + ${share})
     on conflict (scope) do update set
       last_try_at = now(),
       blocked_until = greatest(t.blocked_until, now()) + ${share}
     where t.blocked_until + ${share} <= now() + ${resetAfter}`,
    [name],
  );
  return rowCount > 0;
}

const shareOf = (perHourMax: number) => `interval '${resetAfterSeconds / perHourMax} seconds'`;
const attemptShare = shareOf(personAttemptsPerHourMax);

/**
 * Called after a correct password: forgets the failed attempts of the caller, and takes this one
 * off the counters that it shares with others.
 */
export async function clearPasswordAttempt(
  tx: Transaction,
  attempt: PasswordAttempt,
): Promise<void> {
  for (const { kind, name } of scopesOf(attempt)) {
    if (kind === 'network') {
      await tx.query(
        `update sign_in_troubles set tries = tries - 1, blocked_until = now()
          where scope = $1 and tries > 1`,
        [name],
      );
    } else if (kind === 'person') {
      await tx.query(
        `update sign_in_troubles set blocked_until = blocked_until - ${attemptShare}
          where scope = $1`,
        [name],
      );
    } else {
      await tx.query('delete from sign_in_troubles where scope = $1', [name]);
    }
  }
}

export async function deleteOldSignInFailures(tx: Transaction): Promise<void> {
  await tx.query(`delete from sign_in_troubles where last_try_at < now() - ${resetAfter}`);
}

/** Mails that one address gets, and requests that one network makes, known addresses or not. */
const passwordRequestsPerHour = { address: 3, network: 20 } as const;

/**
 * Counts a request for a password link. Throws `rate_limited` over the limit of the address or of
 * the network; whether a person has the address makes no difference.
 */
export async function countPasswordRequest(
  tx: Transaction,
  { email, remoteAddress }: Pick<SignInAttempt, 'email' | 'remoteAddress'>,
): Promise<void> {
  const address = createHash('sha256').update(normalizeEmail(email)).digest('hex');
  const network = clientNetwork(remoteAddress);
  const isCounted =
    (await countSteadily(tx, `reset ${network}`, passwordRequestsPerHour.network)) &&
    (await countSteadily(tx, `reset ${address}`, passwordRequestsPerHour.address));
  if (isCounted) return;
  const retryAfter = resetAfterSeconds / passwordRequestsPerHour.address;
  throw new ApiError(
    'rate_limited',
    `Too many password resets; try again in ${retryAfter / 60} minutes.`,
    { retryAfter },
  );
}

/** Steps of sign-ins at the OpenID provider, each of which costs requests to it. */
const openIdStepsPerHour = 600;

/** Counts a step. Throws `rate_limited` over the limit of the network. */
export async function countOpenIdStep(
  tx: Transaction,
  remoteAddress: string | undefined,
): Promise<void> {
  const scope = `openid ${clientNetwork(remoteAddress)}`;
  if (await countSteadily(tx, scope, openIdStepsPerHour)) return;
  const retryAfter = resetAfterSeconds / openIdStepsPerHour;
  throw new ApiError('rate_limited', `Too many sign-ins; try again in ${retryAfter} seconds.`, {
    retryAfter,
  });
}

async function tooManyAttempts(tx: Transaction, { kind, name }: Scope): Promise<ApiError> {
  const waitUntil =
    kind === 'person' ? `blocked_until + ${attemptShare} - ${resetAfter}` : 'blocked_until';
  const { rows } = await tx.query<{ seconds: number }>(
    `select greatest(1, ceil(extract(epoch from ${waitUntil} - now())))::int as seconds
       from sign_in_troubles where scope = $1`,
    [name],
  );
  const retryAfter = rows[0]?.seconds ?? 1;
  return new ApiError(
    'rate_limited',
    `Too many failed sign-in attempts; try again in ${retryAfter} seconds.`,
    { retryAfter },
  );
}
