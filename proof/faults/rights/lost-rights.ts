/** The ways in which a caller loses the right to an endpoint while a request is under way. */
import { closeAccount } from '../../../server/accounts/account.ts';
import { revokeKey } from '../../../server/accounts/keys/api-key.ts';
import { changeRole, removeMember } from '../../../server/accounts/people/membership.ts';
import { deactivatePerson } from '../../../server/accounts/people/person.ts';
import { endSessions } from '../../../server/accounts/people/session.ts';
import { suspendAccount } from '../../../server/accounts/suspension.ts';
import type { Transaction } from '../../../server/database/database.ts';
import { closeBalances, lockBalances } from '../../../server/ledger/ledger.ts';
import { type AllowedCaller, confirmed, needsActiveAccount } from '../../kit/role-table.ts';

export type Actor = {
  readonly accountId: string;
  readonly keyId: string;
  /** Absent for keys. */
  readonly personId: string | undefined;
};

type Revoke = (tx: Transaction, actor: Actor) => Promise<unknown>;

const lostRights = {
  'key revoked': (tx, { keyId }) => revokeKey(tx, keyId),
  'account closed': async (tx, { accountId }) => {
    await closeAccount(tx, accountId);
    await closeBalances(tx, accountId);
  },
  'account suspended': async (tx, { accountId }) => {
    await lockBalances(tx, [
      { accountId, mode: 'live' },
      { accountId, mode: 'test' },
    ]);
    await suspendAccount(tx, { accountId, note: 'A test' });
  },
  'session ended': (tx, { personId }) => endSessions(tx, { personId: personId! }),
  'person closed': (tx, { personId }) => deactivatePerson(tx, personId!, { keepLastAdmin: false }),
  'member removed': (tx, { accountId, personId }) =>
    removeMember(tx, { accountId, personId: personId!, keepLastOwner: false }),
  'role lowered': (tx, { accountId, personId }) =>
    changeRole(tx, { accountId, personId: personId!, role: 'viewer', keepLastOwner: false }),
  // No endpoint demotes an administrator; an operator can in the database.
  'administrator demoted': (tx, { personId }) =>
    tx.query('update people set administrator = false where id = $1', [personId]),
  'confirmation expired': (tx, { personId }) =>
    tx.query(`update sessions set confirmed_at = now() - interval '1 hour' where person_id = $1`, [
      personId,
    ]),
  // As a confirmation or a password change does.
  'token replaced': (tx, { personId }) =>
    tx.query(
      `update sessions set previous_digest = digest, previous_until = now() + interval '1 hour',
              digest = encode(sha256(id::text::bytea), 'hex') where person_id = $1`,
      [personId],
    ),
} satisfies Record<string, Revoke>;

export type LostRight = keyof typeof lostRights;

export const loseRight = async (
  tx: Transaction,
  { how, actor }: { how: LostRight; actor: Actor },
): Promise<void> => void (await lostRights[how](tx, actor));

const session: readonly LostRight[] = ['session ended', 'person closed', 'token replaced'];
const waysByCaller: Readonly<Record<AllowedCaller, readonly LostRight[]>> = {
  anyone: [],
  loopbackOnly: [],
  key: ['key revoked', 'account closed'],
  worker: [],
  signedIn: session,
  person: session,
  viewer: [...session, 'member removed'],
  developer: [...session, 'member removed', 'role lowered'],
  owner: [...session, 'member removed', 'role lowered'],
  operator: [...session, 'administrator demoted'],
};

/** The creates of keys, which a suspension rejects until they are accepted. */
const keyCreates =
  /^POST \/(v1\/videos(\/generations|\/edits|\/extensions)?|api\/\S+|mcp|v1\/files)$/;

export const waysToLose = (endpoint: string, allowed: AllowedCaller): readonly LostRight[] => [
  ...waysByCaller[allowed],
  ...(confirmed.includes(endpoint) ? (['confirmation expired'] as const) : []),
  ...(needsActiveAccount.includes(endpoint) || keyCreates.test(endpoint)
    ? (['account suspended'] as const)
    : []),
];
