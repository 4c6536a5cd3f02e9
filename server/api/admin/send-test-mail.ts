/** Sends a mail to the administrator who asks, to see whether mail works. */

import { ApiError } from '@vidgen/contract/api-error.ts';
import { TestMailResponse } from '@vidgen/contract/notices.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { testMail } from '../../messages/mail-text.ts';
import { insertMessage } from '../../messages/outbox.ts';
import { endpoint } from '../http/endpoint.ts';

export const sendTestMail = endpoint({
  operationId: 'sendTestMail',
  method: 'POST',
  path: '/admin/notice-settings/test-mail',
  summary: 'Send a test mail',
  description: 'Sent to the administrator who makes the request. Its outcome is in the settings.',
  auth: 'admin',
  sessionLimit: { purpose: 'test mails', perMinute: 5 },
  responses: {
    202: {
      description: 'The mail is about to be sent.',
      schema: TestMailResponse,
      examples: {
        one: ['A mail', { id: 'mail_1jc0a9v4g0abcdefghij012345', recipient: 'ada@example.com' }],
      },
    },
  },
  errors: { invalid_request: 'This installation sends no email; set VIDGEN_SMTP_URL.' },
  async handler({ messages }, { person, actor, transaction }) {
    if (messages.mailer === null) {
      const message = 'This installation sends no email; set VIDGEN_SMTP_URL.';
      throw new ApiError('invalid_request', message);
    }
    if (!person) throw new ApiError('invalid_request', 'Sign in to get a test mail.');
    const recipient = person.email;
    const content = JSON.stringify(testMail(messages.publicUrl()));
    const id = await transaction(async (tx) => {
      const mail = { channel: 'mail', kind: 'test', recipient, content } as const;
      const inserted = await insertMessage(tx, messages.sealer, mail);
      await recordAudit(tx, { actor, action: 'mail.test', subject: inserted });
      return inserted;
    });
    return { status: 202, body: { id, recipient } };
  },
});
