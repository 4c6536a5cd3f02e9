/** Which callers may use an operation, from the role table, and the choice of a caller. */
import fc from 'fast-check';
import { type AllowedCaller, roleTable } from '../../kit/role-table.ts';
import type { ApiOperation } from './document.ts';
import { type CallerName, callers } from './environment.ts';

const allowedBy = new Map<string, AllowedCaller>(
  Object.entries(roleTable).flatMap(([allowed, names]) =>
    names.map((name) => [name.replace(/:(\w+)/g, '{$1}'), allowed as AllowedCaller] as const),
  ),
);

const roles = ['viewer', 'developer', 'owner'] as const;

/** The status that the role table demands, or that the endpoint is reached. */
export function expectedAccess(
  { method, path }: ApiOperation,
  caller: CallerName,
): 'reached' | number {
  const allowed = allowedBy.get(`${method} ${path}`);
  if (allowed === undefined) throw new Error(`the role table has no entry for ${method} ${path}`);
  const isKey = caller === 'API key' || caller === 'test key' || caller === 'key to cancel';
  if (allowed === 'anyone' || allowed === 'nearby') return 'reached';
  if (allowed === 'key')
    return !isKey ? 401 : isPermitted({ method, path }, caller) ? 'reached' : 403;
  if (caller === 'anonymous' || isKey) return 401;
  const isToken = caller === 'admin token';
  if (allowed === 'person') return isToken ? 401 : 'reached';
  if (isToken || caller === 'administrator') return 'reached';
  if (allowed === 'operator') return 403;
  if (caller === 'owner of another account') return 404;
  return roles.indexOf(caller) >= roles.indexOf(allowed) ? 'reached' : 403;
}

/** Operations that need no permission, or the one of the third key. */
const isPermitted = (
  { method, path }: Pick<ApiOperation, 'method' | 'path'>,
  caller: CallerName,
): boolean =>
  caller !== 'key to cancel' ||
  /\/(cancel|models|models\/\{\w+\}|credits|mcp)$/.test(path) ||
  /^DELETE \/(v1\/(videos|tasks)|api\/v3)\//.test(`${method} ${path}`);

/** With a session, these would replace it by that of another person. A token is not for pages. */
const anonymousOperations = new Set(
  'signIn useLink enterCode forgotPassword startOpenId'.split(' '),
);

function allowedCallers(operation: ApiOperation): readonly CallerName[] {
  if (anonymousOperations.has(operation.id)) return ['anonymous'];
  return callers.filter((caller) => expectedAccess(operation, caller) === 'reached');
}

/** Draws an allowed caller in most cases. */
export function callerFor(operation: ApiOperation): fc.Arbitrary<CallerName> {
  if (anonymousOperations.has(operation.id)) return fc.constant('anonymous');
  return fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...allowedCallers(operation)) },
    { weight: 1, arbitrary: fc.constantFrom(...callers) },
  );
}
