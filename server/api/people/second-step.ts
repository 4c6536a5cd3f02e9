/**
 * Between a correct password and the session of a person with a second factor. What is pending is
 * in an encrypted cookie of the browser, for ten minutes, and ends when the password changes.
 */
import { createHash } from 'node:crypto';
import { SecondStepResponse } from '@vidgen/contract/sign-in.ts';
import { deriveKey } from '../../accounts/installation-secret.ts';
import { readPasswordHash } from '../../accounts/people/person.ts';
import { hasSecondFactor } from '../../accounts/people/second-factor.ts';
import { createSealer, type Sealer } from '../../crypto/seal.ts';
import type { Transaction } from '../../database/database.ts';
import { unixSeconds } from '../../process/clock.ts';
import type { ResponseDescription } from '../http/endpoint-definition.ts';
import type { ApiRequest, ApiResponse, ApiServices } from '../http/handler.ts';
import { cookieOf, readCookieValue } from '../http/session-cookie.ts';

const name = 'vidgen_second_step';
const maxAgeSeconds = 600;

export type PendingSignIn = { readonly personId: string; readonly passwordDigest: string };

export const secondStepDescription: ResponseDescription = {
  description: 'The password is right, and the second factor is missing. No session was started.',
  schema: SecondStepResponse,
  examples: { one: ['A code is asked for', { second_step: 'code' }] },
  headers: ['Set-Cookie'],
};

/** Null if the password alone signs the person in. Call it after the password was accepted. */
export async function pendingSignIn(
  services: ApiServices,
  tx: Transaction,
  personId: string,
): Promise<PendingSignIn | null> {
  if (!(await hasSecondFactor(tx, personId))) return null;
  return { personId, passwordDigest: await passwordDigest(services, tx, personId) };
}

export async function passwordDigest(
  { openid }: ApiServices,
  tx: Transaction,
  personId: string,
): Promise<string> {
  const issuer = openid?.settings.issuer;
  const hash = await readPasswordHash(tx, personId, { issuer, lock: true });
  return hash === null ? '' : createHash('sha256').update(hash).digest('base64url');
}

export function secondStepResponse(services: ApiServices, pending: PendingSignIn): ApiResponse {
  const content = JSON.stringify({ ...pending, until: unixSeconds() + maxAgeSeconds });
  const value = sealerOf(services).seal(name, content).toString('base64url');
  const cookie = cookieOf(services.publicUrl(), { name, value, maxAgeSeconds });
  return { status: 202, headers: { 'set-cookie': [cookie] }, body: { second_step: 'code' } };
}

export const clearedSecondStep = ({ publicUrl }: ApiServices): string =>
  cookieOf(publicUrl(), { name, value: '', maxAgeSeconds: 0 });

/** Null if the cookie is missing, too old or not ours. */
export function readSecondStep(
  services: ApiServices,
  { headers }: Pick<ApiRequest, 'headers'>,
): PendingSignIn | null {
  const cookie = headers.cookie as string | undefined;
  const value = readCookieValue(cookie, { name, publicUrl: services.publicUrl() });
  if (!value) return null;
  try {
    const opened = sealerOf(services).open(name, Buffer.from(value, 'base64url'));
    const { until, ...pending } = JSON.parse(opened) as PendingSignIn & { until: number };
    return until > unixSeconds() ? pending : null;
  } catch {
    return null;
  }
}

const sealerOf = ({ secret }: ApiServices): Sealer =>
  createSealer(deriveKey(secret, 'second steps of sign-ins'));
