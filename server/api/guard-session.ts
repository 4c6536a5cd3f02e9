/**
 * Who a person is and what they may, by the session in their cookie: signed in (401), from our own
 * pages (403), in an account of theirs (404), with enough of a role (403), and lately sure (403).
 */
import type { AccountRole } from '@vidgen/contract/people.ts';
import { accountOfKey } from '../accounts/api-key.ts';
import { findRole, isAtLeast } from '../accounts/membership.ts';
import { findSignedIn, recordSessionUse, type SignedIn } from '../accounts/session.ts';
import { Refusal } from '../refusal.ts';
import { getDelivery } from '../webhooks/delivery.ts';
import type { Auth, Subject } from './route-description.ts';
import { requireSameOrigin, type Sent } from './same-origin.ts';
import type { Asker, Service } from './service.ts';
import { readCookie } from './session-cookie.ts';

export type SessionRules = {
  readonly auth: Auth;
  readonly role?: AccountRole | undefined;
  readonly subject?: Subject | undefined;
  readonly confirms?: true | undefined;
  readonly takesBytes?: true | undefined;
  readonly streamsBody?: true | undefined;
};

export type SessionAsking = Sent & {
  readonly params: Readonly<Record<string, string>>;
  readonly tell: (headers: Readonly<Record<string, string>>) => void;
};

/** For `admin`, `member` and `person`, when there is no Authorization header. */
export async function passSession(
  service: Service,
  rules: SessionRules,
  asking: SessionAsking,
): Promise<Asker> {
  const signedIn = await findSession(service, rules, asking);
  if (!signedIn) throw notSignedIn(rules.auth);
  const { person, session } = signedIn;
  const isOperator = person.administrator;
  if (rules.auth === 'admin' && !isOperator) throw onlyOperators();
  let role: AccountRole | undefined;
  if (rules.auth === 'member') {
    role = isOperator ? 'owner' : await roleOf(service, rules.subject!, { asking, signedIn });
    if (!isAtLeast(role, rules.role!)) throw tooLittle({ role, least: rules.role! });
  }
  if (rules.confirms && !session.isConfirmed) {
    asking.tell({ 'vidgen-confirm': 'password' });
    throw new Refusal('forbidden', 'This needs your password again: confirm that it is you.');
  }
  return { identity: undefined, actor: person.email, person, session, isOperator, role };
}

/** For endpoints that strangers may call and that know a session when there is one. */
export async function findSession(
  { lifecycle: { db }, publicUrl }: Service,
  { takesBytes, streamsBody }: SessionRules,
  asking: Sent,
): Promise<SignedIn | null> {
  const cookie = asking.headers.cookie as string | undefined;
  const token = readCookie(cookie, publicUrl());
  if (token === null) return null;
  requireSameOrigin(asking, {
    publicUrl: publicUrl(),
    takesBytes: takesBytes ?? streamsBody ?? false,
  });
  const found = await findSignedIn(db, token);
  if (!found) return null;
  const { isStale, ...signedIn } = found;
  if (isStale) await recordSessionUse(db, signedIn.session.id);
  return signedIn;
}

/** Somebody else's is answered as what does not exist. */
async function roleOf(
  service: Service,
  subject: Subject,
  { asking, signedIn }: { asking: SessionAsking; signedIn: SignedIn },
): Promise<AccountRole> {
  const { db } = service.lifecycle;
  const accountId = await accountOf(service, subject, asking.params.id!);
  const personId = signedIn.person.id;
  const role = accountId === null ? null : await findRole(db, { accountId, personId });
  if (role === null) throw new Refusal('not_found', `There is no ${subject} with this id.`);
  return role;
}

async function accountOf(service: Service, subject: Subject, id: string): Promise<string | null> {
  const { db } = service.lifecycle;
  switch (subject) {
    case 'account':
      return id;
    case 'task':
      return (await service.tasks.find(id))?.accountId ?? null;
    case 'key':
      return await accountOfKey(db, id);
    case 'delivery':
      return (await getDelivery(db, id)).accountId;
  }
}

function notSignedIn(auth: Auth): Refusal {
  const token = auth === 'person' ? '' : ', or send "Authorization: Bearer <VIDGEN_ADMIN_TOKEN>"';
  return new Refusal('invalid_api_key', `Nobody is signed in: sign in to the dashboard${token}.`);
}

const onlyOperators = (): Refusal =>
  new Refusal('forbidden', 'Only administrators of the installation may do this.');

const tooLittle = ({ role, least }: { role: AccountRole; least: AccountRole }): Refusal =>
  new Refusal(
    'forbidden',
    `You are ${role} in this account, and this takes ${least}: ask an owner of the account.`,
  );
