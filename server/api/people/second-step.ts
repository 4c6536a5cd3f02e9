/**
 * The second step of a sign-in: a code, between a correct password and the session of a person with
 * a second factor. What is pending is in a cookie of the browser, and ends when the password
 * changes.
 */
import { createHash } from 'node:crypto';
import { ApiError } from '@vidgen/contract/api-error.ts';
import { CodeRequest, SecondStepResponse } from '@vidgen/contract/sign-in.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { getPerson, type PersonIdentity, readPasswordHash } from '../../accounts/people/person.ts';
import { hasSecondFactor, secondFactorKeys, useCode } from '../../accounts/people/second-factor.ts';
import {
  clearPasswordAttempt,
  countPasswordAttempt,
  type PasswordAttempt,
} from '../../accounts/people/sign-in-throttle.ts';
import type { Transaction } from '../../database/database.ts';
import { knownDevice } from '../http/device-cookie.ts';
import { endpoint } from '../http/endpoint.ts';
import type { EndpointDefinition, ResponseDescription } from '../http/endpoint-definition.ts';
import type { ApiResponse, ApiServices } from '../http/handler.ts';
import { code as codeSample, tooManyPasswords } from './samples.ts';
import { sealedCookie } from './sealed-cookie.ts';
import { sessionResponse, signedInDescription, startSession } from './session-response.ts';

const wrongCode = 'Incorrect code; enter the current one of your app, or a recovery code.';

/** What the endpoints share that take a code of the second factor. */
export const codeRequest = {
  body: CodeRequest,
  requestExamples: { one: ['A code of the app', { code: codeSample }] },
  errors: {
    invalid_request: 'code is required',
    invalid_api_key: wrongCode,
    rate_limited: tooManyPasswords,
  },
} as const satisfies Partial<EndpointDefinition>;

export const secondStepDescription: ResponseDescription = {
  description: 'The password is right, and the second factor is missing. No session was started.',
  schema: SecondStepResponse,
  examples: { one: ['A code is asked for', { second_step: 'code' }] },
  headers: ['Set-Cookie'],
};

const expired = () =>
  new ApiError('invalid_api_key', 'This sign-in has expired; enter your password again.');

export const enterCode = endpoint({
  operationId: 'enterCode',
  method: 'POST',
  path: '/session/code',
  summary: 'Enter a two-factor code',
  description:
    'Within ten minutes after the password, in the same browser. Wrong codes are slowed down.',
  auth: 'none',
  optionalSession: true,
  ...codeRequest,
  responses: { 201: signedInDescription('Signed in; the cookie holds the session.') },
  async handler(services, request) {
    const pending = pendingCookie.open(services, request);
    if (pending === null) throw expired();
    const { db } = services.lifecycle;
    const person = await getPerson(db, pending.personId);
    const device = knownDevice(services, request, person.email);
    const proof = await authenticateCode(services, {
      person,
      code: request.body.code,
      attempt: { personId: person.id, knownDevice: device },
    });
    const session = await db.transaction(async (tx) => {
      // Also empty for a person who was closed or linked to the OpenID provider meanwhile.
      const digest = await passwordDigest(services, tx, person.id);
      if (digest !== pending.passwordDigest) throw expired();
      await proof.accept(tx);
      return await startSession(tx, request, person.id);
    });
    const response = await sessionResponse(services, request, { person, session, status: 201 });
    const sessionCookies = response.headers?.['set-cookie'] ?? [];
    const cookies = [sessionCookies, pendingCookie.cleared(services)].flat();
    return { ...response, headers: { ...response.headers, 'set-cookie': cookies } };
  },
});

export type PendingSignIn = { readonly personId: string; readonly passwordDigest: string };

const pendingCookie = sealedCookie<PendingSignIn>({
  name: 'vidgen_second_step',
  purpose: 'second steps of sign-ins',
});

/** Null if the password alone signs the person in. Call it after the password was accepted. */
export async function pendingSignIn(
  services: ApiServices,
  tx: Transaction,
  personId: string,
): Promise<PendingSignIn | null> {
  if (!(await hasSecondFactor(tx, personId))) return null;
  return { personId, passwordDigest: await passwordDigest(services, tx, personId) };
}

async function passwordDigest(
  { openid }: ApiServices,
  tx: Transaction,
  personId: string,
): Promise<string> {
  const issuer = openid?.settings.issuer;
  const hash = await readPasswordHash(tx, personId, { issuer, lock: true });
  return hash === null ? '' : createHash('sha256').update(hash).digest('base64url');
}

export const secondStepResponse = (services: ApiServices, pending: PendingSignIn): ApiResponse => ({
  status: 202,
  headers: { 'set-cookie': [pendingCookie.seal(services, pending)] },
  body: { second_step: 'code' },
});

/** Uses up the code in the transaction that relies on it. Throws if it is wrong. */
type CodeProof = { accept(tx: Transaction): Promise<void> };

/** Checks a code of the second factor. Attempts are throttled, and counted before the check. */
export async function authenticateCode(
  { lifecycle: { db }, secret }: ApiServices,
  {
    person: { id: personId, email },
    code,
    attempt,
  }: { person: PersonIdentity; code: string; attempt: PasswordAttempt },
): Promise<CodeProof> {
  await db.transaction((tx) => countPasswordAttempt(tx, attempt));
  return {
    async accept(tx) {
      const used = await useCode(tx, secondFactorKeys(secret), { personId, code });
      if (used === null) throw new ApiError('invalid_api_key', wrongCode);
      await clearPasswordAttempt(tx, attempt);
      if (used !== 'recovery') return;
      const action = 'person.use_recovery_code';
      await recordAudit(tx, { actor: email, action, subject: personId });
    },
  };
}
