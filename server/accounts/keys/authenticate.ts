/**
 * Turns the `Authorization` header into the caller's identity, or throws (docs/spec.md 5). The
 * message explains a malformed header or key, and an account that is suspended or closed; otherwise
 * it never says why a well-formed key is inactive.
 */
import { ApiError } from '@vidgen/contract/api-error.ts';
import type { Permission } from '@vidgen/contract/models.ts';
import { accountInactive } from '../suspension.ts';
import type { KeyIdentity, LockedKey } from './api-key.ts';
import { parseKeyMode } from './api-key-format.ts';

export async function authenticate(
  keys: { verify(key: string): Promise<KeyIdentity | null> },
  header: string | undefined,
): Promise<KeyIdentity> {
  const key = parseAuthorization(header);
  const identity = await keys.verify(key);
  if (!identity) throw inactiveKey();
  return identity;
}

/** Returns why a key that was authorized before is rejected now; null if it is not. */
export function lostKeyError(locked: LockedKey | undefined): ApiError | null {
  if (!locked) return inactiveKey();
  return locked.isSuspended ? accountInactive('suspended') : null;
}

const inactiveKey = (): ApiError =>
  new ApiError('invalid_api_key', 'This API key is unknown, expired or revoked.');

export function requirePermission(identity: KeyIdentity, permission: Permission): void {
  if (identity.permissions.includes(permission)) return;
  throw new ApiError('forbidden', `This API key needs the ${permission} permission.`);
}

function parseAuthorization(header: string | undefined): string {
  if (header === undefined || header.trim() === '') {
    rejectKey('Missing Authorization header; send "Authorization: Bearer <API_KEY>".');
  }
  // The scheme is case-insensitive (RFC 9110, 11.1).
  const key = /^Bearer +(\S+)$/i.exec(header.trim())?.[1];
  if (key === undefined) {
    rejectKey('The Authorization header must have the form "Bearer <API_KEY>".');
  }
  if (parseKeyMode(key) === null) {
    rejectKey(
      'Malformed API key, mistyped or cut off; keys are vg_live_ or vg_test_ followed by 49 ' +
        'letters and digits.',
    );
  }
  return key;
}

function rejectKey(message: string): never {
  throw new ApiError('invalid_api_key', message);
}
