/** Starts the enrollment of an authenticator app. Nothing is asked for until it is enabled. */

import { ApiError } from '@vidgen/contract/api-error.ts';
import { EnrollmentResponse } from '@vidgen/contract/sign-in.ts';
import { readPasswordHash } from '../../accounts/people/person.ts';
import { secondFactorKeys, startEnrollment } from '../../accounts/people/second-factor.ts';
import { base32, totpUrl } from '../../accounts/people/totp.ts';
import { endpoint } from '../http/endpoint.ts';
import { requireSession } from './session-response.ts';

const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
const isEnabled = 'Two-factor authentication is already on; turn it off first.';

export const startSecondFactor = endpoint({
  operationId: 'startSecondFactor',
  method: 'POST',
  path: '/session/second-factor',
  summary: 'Enroll an authenticator app',
  description: 'Until it is enabled with a code, a further call starts again with a new secret.',
  auth: 'person',
  requiresConfirmation: true,
  responses: {
    200: {
      description: 'The secret, for the app.',
      schema: EnrollmentResponse,
      examples: {
        one: [
          'A secret',
          {
            secret,
            url: `otpauth://totp/vidgen:ada%40example.com?secret=${secret}&issuer=vidgen`,
          },
        ],
      },
    },
  },
  errors: { invalid_request: isEnabled },
  async handler(services, request) {
    const { person } = requireSession(request);
    const issuer = services.openid?.settings.issuer;
    const enrolled = await request.transaction(async (tx) => {
      if ((await readPasswordHash(tx, person.id, { issuer, lock: true })) === null) {
        throw new ApiError('invalid_request', 'Two-factor authentication requires a password.');
      }
      return await startEnrollment(tx, secondFactorKeys(services.secret), person.id);
    });
    if (enrolled === null) throw new ApiError('invalid_request', isEnabled);
    const name = `vidgen (${new URL(services.publicUrl()).host})`;
    const url = totpUrl(enrolled, { issuer: name, email: person.email });
    return { body: { secret: base32(enrolled), url } };
  },
});
