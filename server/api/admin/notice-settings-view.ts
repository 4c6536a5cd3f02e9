/** How notices and mail leave the installation, as JSON, and the sample of it. */
import { NoticeSettings } from '@vidgen/contract/notices.ts';
import {
  readNoticeWebhookSecret,
  readNoticeWebhookUrl,
} from '../../accounts/installation-settings.ts';
import {
  type Channel,
  countMessages,
  findLastError,
  type OutboxCount,
} from '../../messages/outbox.ts';
import type { ResponseDescription } from '../http/endpoint-definition.ts';
import type { ApiServices } from '../http/handler.ts';

export const noticeSettings = {
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
export const noticeSettingsResponses: Readonly<Record<number, ResponseDescription>> = {
  200: {
    description: 'The settings, and what waits or has failed.',
    schema: NoticeSettings,
    examples: { one: ['With a webhook and mail', noticeSettings] },
  },
};

export async function noticeSettingsView({
  lifecycle,
  messages,
}: ApiServices): Promise<NoticeSettings> {
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
