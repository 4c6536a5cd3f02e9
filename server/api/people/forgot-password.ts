/**
 * Asks for a link for a new password by email. The request does the same for every address; whether
 * a person has it is decided when the mail is sent (`lifecycle/send-messages.ts`).
 */

import { ApiError } from '@vidgen/contract/api-error.ts';
import { ForgotPasswordRequest } from '@vidgen/contract/people.ts';
import { countPasswordRequest } from '../../accounts/people/sign-in-throttle.ts';
import { passwordRequest } from '../../lifecycle/notices/send-messages.ts';
import { insertMessage } from '../../messages/outbox.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseBody } from '../http/parse-request.ts';

const noMail =
  'This installation sends no email; ask an administrator for a link to set a new password.';

export const forgotPassword = endpoint({
  parsesItself: true,
  operationId: 'forgotPassword',
  method: 'POST',
  path: '/session/forgot',
  summary: 'Request a password reset link',
  description:
    'The response is the same whether or not a person has this address. At most 3 per hour and ' +
    'address, and 20 per hour and network. The link works once, for a day; earlier links still ' +
    'work.',
  auth: 'none',
  optionalSession: true,
  body: ForgotPasswordRequest,
  requestExamples: { one: ['An address', { email: 'ada@example.com' }] },
  responses: { 204: { description: 'A mail is sent if a person has this address.' } },
  errors: {
    invalid_request: noMail,
    rate_limited: 'Too many password resets; try again in 20 minutes.',
    internal_error: true,
  },
  async handler({ lifecycle: { db }, messages }, request) {
    const { email } = parseBody(ForgotPasswordRequest, request.body);
    if (messages.mailer === null) throw new ApiError('invalid_request', noMail);
    await db.transaction(async (tx) => {
      await countPasswordRequest(tx, { email, remoteAddress: request.remoteAddress() });
      const kind = passwordRequest;
      await insertMessage(tx, messages.sealer, { channel: 'mail', kind, recipient: email });
    });
    return { status: 204 };
  },
});
