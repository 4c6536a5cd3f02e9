/** Who may ask what, from the table of roles, and who is chosen to ask. */
import fc from 'fast-check';
import { type Allowed, roleTable } from '../../kit/role-table.ts';
import type { Operation } from './document.ts';
import { type AskerName, askers } from './world.ts';

const allowedBy = new Map<string, Allowed>(
  Object.entries(roleTable).flatMap(([allowed, names]) =>
    names.map((name) => [name.replace(/:(\w+)/g, '{$1}'), allowed as Allowed] as const),
  ),
);

const roles = ['viewer', 'developer', 'owner'] as const;

/** What the table promises somebody: a status, or that the endpoint is reached. */
export function promised({ method, path }: Operation, asker: AskerName): 'reached' | number {
  const allowed = allowedBy.get(`${method} ${path}`);
  if (allowed === undefined) throw new Error(`nobody has thought about ${method} ${path}`);
  const isKey = asker === 'API key' || asker === 'test key' || asker === 'key to cancel';
  if (allowed === 'anyone' || allowed === 'nearby') return 'reached';
  if (allowed === 'key') return !isKey ? 401 : isPermitted(path, asker) ? 'reached' : 403;
  if (asker === 'nobody' || isKey) return 401;
  const isToken = asker === 'admin token';
  if (allowed === 'person') return isToken ? 401 : 'reached';
  if (isToken || asker === 'administrator') return 'reached';
  if (allowed === 'operator') return 403;
  if (asker === 'owner of another account') return 404;
  return roles.indexOf(asker) >= roles.indexOf(allowed) ? 'reached' : 403;
}

/** Needs nothing but a key; or what the third key has. */
const isPermitted = (path: string, asker: AskerName): boolean =>
  asker !== 'key to cancel' || /\/(cancel|models|credits)$/.test(path);

/** With a session, these would make it another's: the next request would be somebody else's. */
const namelessly = new Set(['signIn', 'useLink']);

export function whoMayAsk(operation: Operation): readonly AskerName[] {
  if (namelessly.has(operation.id)) return ['nobody'];
  return askers.filter((asker) => promised(operation, asker) === 'reached');
}

/** Mostly somebody who may. */
export function askerFor(operation: Operation): fc.Arbitrary<AskerName> {
  if (namelessly.has(operation.id)) return fc.constant('nobody');
  return fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...whoMayAsk(operation)) },
    { weight: 1, arbitrary: fc.constantFrom(...askers) },
  );
}
