/**
 * The second factor of the signed-in person: enrollment of an app, recovery codes, and turning it
 * off. `second-step.ts` asks for its codes when a person signs in.
 */
import { ApiError, invalidRequest } from '@vidgen/contract/api-error.ts';
import { EnrollmentResponse, RecoveryCodesResponse } from '@vidgen/contract/sign-in.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { type PersonIdentity, readPasswordHash } from '../../accounts/people/person.ts';
import * as secondFactors from '../../accounts/people/second-factor.ts';
import {
  clearPasswordAttempt,
  countPasswordAttempt,
} from '../../accounts/people/sign-in-throttle.ts';
import { base32, totpUrl } from '../../accounts/people/totp.ts';
import type { Transaction } from '../../database/database.ts';
import { queueSecurityMail } from '../../messages/security-mail.ts';
import { endpoint, jsonResponse } from '../http/endpoint.ts';
import type { ResponseDescription } from '../http/endpoint-definition.ts';
import type { ApiRequest, ApiServices } from '../http/handler.ts';
import { authenticateCode, codeRequest } from './second-step.ts';
import { requireSession } from './session-response.ts';

const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
const isEnabled = 'Two-factor authentication is already on; turn it off first.';

/** No code is asked for until the second factor is enabled. */
const startSecondFactor = endpoint({
  operationId: 'startSecondFactor',
  method: 'POST',
  path: '/session/second-factor',
  summary: 'Enroll an authenticator app',
  description: 'Until it is enabled with a code, a further call starts again with a new secret.',
  auth: 'person',
  requiresConfirmation: true,
  responses: {
    200: jsonResponse('The secret, for the app.', EnrollmentResponse, {
      one: [
        'A secret',
        {
          secret,
          url: `otpauth://totp/vidgen:ada%40example.com?secret=${secret}&issuer=vidgen`,
        },
      ],
    }),
  },
  errors: { invalid_request: isEnabled },
  async handler(services, request) {
    const { person } = requireSession(request);
    const issuer = services.openid?.settings.issuer;
    const enrolled = await request.transaction(async (tx) => {
      if ((await readPasswordHash(tx, person.id, { issuer, lock: true })) === null) {
        throw invalidRequest('Two-factor authentication requires a password.');
      }
      const keys = secondFactors.secondFactorKeys(services.secret);
      return await secondFactors.startEnrollment(tx, keys, person.id);
    });
    if (enrolled === null) throw invalidRequest(isEnabled);
    const name = `vidgen (${new URL(services.publicUrl()).host})`;
    const url = totpUrl(enrolled, { issuer: name, email: person.email });
    return { body: { secret: base32(enrolled), url } };
  },
});

const wrongCode = 'Incorrect code; check the clock of your phone, or scan the QR code again.';

const enableSecondFactor = endpoint({
  operationId: 'enableSecondFactor',
  method: 'POST',
  path: '/session/second-factor/enable',
  summary: 'Turn on two-factor authentication',
  description: 'From then on, sign-ins with the password need a code. Other sessions continue.',
  auth: 'person',
  requiresConfirmation: true,
  ...codeRequest,
  responses: { 200: recoveryCodes('Enabled. The recovery codes are shown this once.') },
  errors: { ...codeRequest.errors, invalid_api_key: wrongCode },
  async handler(services, request) {
    const { person, session } = requireSession(request);
    const { email, id: personId } = person;
    const attempt = { personId, sessionId: session.id };
    await request.transaction((tx) => countPasswordAttempt(tx, attempt));
    const codes = await request.transaction(async (tx) => {
      const keys = secondFactors.secondFactorKeys(services.secret);
      const code = request.body.code.replaceAll(/\s/g, '');
      if (!(await secondFactors.enableSecondFactor(tx, keys, { personId, code }))) {
        throw new ApiError('invalid_api_key', wrongCode);
      }
      await clearPasswordAttempt(tx, attempt);
      const action = 'person.enable_second_factor';
      await recordAudit(tx, { actor: email, action, subject: personId });
      await queueSecurityMail(tx, services.messages, email, { kind: 'second_factor_enabled' });
      return await secondFactors.createRecoveryCodes(tx, keys, personId);
    });
    return { body: { codes } };
  },
});

const disableSecondFactor = endpoint({
  operationId: 'disableSecondFactor',
  method: 'POST',
  path: '/session/second-factor/disable',
  summary: 'Turn off two-factor authentication',
  description: 'The recovery codes no longer work.',
  auth: 'person',
  requiresConfirmation: true,
  ...codeRequest,
  responses: { 204: { description: 'Turned off.' } },
  async handler(services, request) {
    await withCode(services, request, async (tx, { id: personId, email }) => {
      await secondFactors.removeSecondFactor(tx, personId);
      const action = 'person.disable_second_factor';
      await recordAudit(tx, { actor: email, action, subject: personId });
      await queueSecurityMail(tx, services.messages, email, { kind: 'second_factor_disabled' });
    });
    return { status: 204 };
  },
});

const replaceRecoveryCodes = endpoint({
  operationId: 'replaceRecoveryCodes',
  method: 'POST',
  path: '/session/second-factor/recovery-codes',
  summary: 'Create new recovery codes',
  description: 'The earlier ones no longer work.',
  auth: 'person',
  requiresConfirmation: true,
  ...codeRequest,
  responses: { 200: recoveryCodes('The new codes, shown this once.') },
  async handler(services, request) {
    const codes = await withCode(services, request, async (tx, { id: personId, email }) => {
      const action = 'person.replace_recovery_codes';
      await recordAudit(tx, { actor: email, action, subject: personId });
      await queueSecurityMail(tx, services.messages, email, { kind: 'recovery_codes_replaced' });
      const keys = secondFactors.secondFactorKeys(services.secret);
      return await secondFactors.createRecoveryCodes(tx, keys, personId);
    });
    return { body: { codes } };
  },
});

function recoveryCodes(description: string): ResponseDescription {
  const some = ['7bqkd-m2x9w', 'h4tzc-p8n3e', 'vk5ya-2rj6g', '9xwmb-q7d4u', 'c3fhs-e8kt5'];
  const codes = some.flatMap((one) => [one, [...one].reverse().join('')]);
  return {
    description,
    schema: RecoveryCodesResponse,
    examples: { one: ['Ten codes', { codes }] },
  };
}

/** Runs `work` for the signed-in person, in the transaction that uses up the code they sent. */
async function withCode<T>(
  services: ApiServices,
  request: ApiRequest<{ readonly code: string }>,
  work: (tx: Transaction, person: PersonIdentity) => Promise<T>,
): Promise<T> {
  const { person, session } = requireSession(request);
  const attempt = { personId: person.id, sessionId: session.id };
  const proof = await authenticateCode(services, { person, code: request.body.code, attempt });
  return await request.transaction(async (tx) => {
    await proof.accept(tx);
    return await work(tx, person);
  });
}

export const secondFactorEndpoints = [
  startSecondFactor,
  enableSecondFactor,
  disableSecondFactor,
  replaceRecoveryCodes,
];
