/** How notices and mail leave the installation: the webhook of the operator, and a test mail. */
import { invalidRequest } from '@vidgen/contract/api-error.ts';
import {
  NoticeSettings,
  SetNoticeSettingsRequest,
  TestMailResponse,
} from '@vidgen/contract/notices.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import {
  readNoticeWebhookSecret,
  readNoticeWebhookUrl,
  setNoticeWebhookUrl,
} from '../../accounts/installation-settings.ts';
import { testMail } from '../../messages/mail-text.ts';
import {
  type Channel,
  countMessages,
  findLastError,
  insertMessage,
  type OutboxCount,
} from '../../messages/outbox.ts';
import { endpoint, jsonResponse } from '../http/endpoint.ts';
import type { ResponseDescription } from '../http/endpoint-definition.ts';
import type { ApiServices } from '../http/handler.ts';

const settingsSample = {
  webhook_url: 'https://hooks.example.com/notices',
  webhook_url_source: 'dashboard',
  webhook_secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  mail_from: 'vidgen <no-reply@example.com>',
  mails_waiting: 0,
  mails_failed: 1,
  webhooks_waiting: 0,
  webhooks_failed: 0,
  last_mail_error: 'EENVELOPE: 550 no such user',
  last_webhook_error: null,
};
const settingsResponses: Readonly<Record<number, ResponseDescription>> = {
  200: jsonResponse('The settings, and what waits or has failed.', NoticeSettings, {
    one: ['With a webhook and mail', settingsSample],
  }),
};

async function readSettings({ lifecycle, messages }: ApiServices): Promise<NoticeSettings> {
  const { db } = lifecycle;
  const { mailer, noticeWebhookUrl } = messages;
  const stored = await readNoticeWebhookUrl(db);
  const counts = await countMessages(db);
  const storedSource = stored === null ? null : ('dashboard' as const);
  return {
    webhook_url: noticeWebhookUrl ?? stored,
    webhook_url_source: noticeWebhookUrl === null ? storedSource : 'environment',
    webhook_secret: await readNoticeWebhookSecret(db),
    mail_from: mailer && `${mailer.from.name} <${mailer.from.address}>`,
    mails_waiting: countOf(counts, 'mail', 'waiting'),
    mails_failed: countOf(counts, 'mail', 'failed'),
    webhooks_waiting: countOf(counts, 'webhook', 'waiting'),
    webhooks_failed: countOf(counts, 'webhook', 'failed'),
    last_mail_error: await findLastError(db, 'mail'),
    last_webhook_error: await findLastError(db, 'webhook'),
  };
}

const countOf = (
  counts: readonly OutboxCount[],
  channel: Channel,
  status: OutboxCount['status'],
): number => counts.find((one) => one.channel === channel && one.status === status)?.messages ?? 0;

const getNoticeSettings = endpoint({
  operationId: 'getNoticeSettings',
  method: 'GET',
  path: '/admin/notice-settings',
  summary: 'Get notice settings',
  auth: 'admin',
  responses: settingsResponses,
  handler: async (services) => ({ body: await readSettings(services) }),
});

const setNoticeSettings = endpoint({
  operationId: 'setNoticeSettings',
  method: 'POST',
  path: '/admin/notice-settings',
  summary: 'Set the webhook for notices',
  description:
    'Every notice is sent there, signed like the webhooks of tasks, with the same retries. ' +
    '`VIDGEN_NOTICE_WEBHOOK_URL` overrides it.',
  auth: 'admin',
  body: SetNoticeSettingsRequest,
  requestExamples: {
    some: ['A webhook', { webhook_url: settingsSample.webhook_url }],
    none: ['None', { webhook_url: null }],
  },
  responses: settingsResponses,
  errors: { invalid_request: 'webhook_url must be an https URL' },
  async handler(services, { body, actor, transaction }) {
    const { webhook_url: url } = body;
    if (services.messages.noticeWebhookUrl !== null) {
      const rule = 'is set by VIDGEN_NOTICE_WEBHOOK_URL; change it there';
      throw invalidRequest(`webhook_url ${rule}`);
    }
    const checked = url === null ? null : services.lifecycle.egress.check(url, 'callback');
    if (checked && !checked.ok) throw invalidRequest(`webhook_url ${checked.rule}`);
    await transaction(async (tx) => {
      await setNoticeWebhookUrl(tx, url);
      const action = 'notice_webhook.set';
      await recordAudit(tx, { actor, action, subject: 'installation', detail: { url } });
    });
    return { body: await readSettings(services) };
  },
});

const noMailer = 'This installation sends no email; set VIDGEN_SMTP_URL.';
const sendTestMail = endpoint({
  operationId: 'sendTestMail',
  method: 'POST',
  path: '/admin/notice-settings/test-mail',
  summary: 'Send a test mail',
  description: 'Sent to the administrator who makes the request. Its outcome is in the settings.',
  auth: 'admin',
  sessionLimit: { purpose: 'test mails', perMinute: 5 },
  responses: {
    202: jsonResponse('The mail is about to be sent.', TestMailResponse, {
      one: ['A mail', { id: 'mail_1jc0a9v4g0abcdefghij012345', recipient: 'ada@example.com' }],
    }),
  },
  errors: { invalid_request: noMailer },
  async handler({ messages }, { person, actor, transaction }) {
    if (messages.mailer === null) throw invalidRequest(noMailer);
    if (!person) throw invalidRequest('Sign in to get a test mail.');
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

export const noticeSettingEndpoints = [getNoticeSettings, setNoticeSettings, sendTestMail];
