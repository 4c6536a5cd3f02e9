/** Notices, the low balance of an account, and how the installation sends notices and mail. */
import { z } from 'zod';
import { idParams, listOf, pageQuery, unixSeconds } from './list.ts';
import { secretFormat } from './schema-paths.ts';

const noticeKinds = [
  'low_balance',
  'refund_waiting',
  'provider_breaker_open',
  'webhook_failing',
  'key_cap_reached',
  'negative_margin',
  'cost_unknown',
  'bill_differs',
  'model_retires',
  'canary_failed',
] as const;
export type NoticeKind = (typeof noticeKinds)[number];

export const Notice = z
  .object({
    id: z.string(),
    kind: z.enum(noticeKinds),
    account_id: z.string().nullable().describe('Null for the installation.'),
    account_name: z.string().nullable(),
    title: z.string(),
    message: z.string().describe('What happened, and what to do.'),
    detail: z.record(z.string(), z.unknown()).describe('The figures, by kind.'),
    created_at: unixSeconds('When the condition was first observed.'),
    resolved_at: unixSeconds('When it had ended.').nullable(),
  })
  .meta({ id: 'Notice' });
export type Notice = z.infer<typeof Notice>;

export const ListNoticesQuery = z.strictObject({ ...pageQuery });
export const ListNoticesResponse = listOf(Notice)
  .extend({
    unread: z.int().min(0).describe('Notices that the person has not read, 100 at most.'),
    read_up_to: z.string().nullable().describe('The newest notice that the person has read.'),
  })
  .meta({ id: 'NoticeList' });
export type ListNoticesResponse = z.infer<typeof ListNoticesResponse>;

export const ReadNoticesRequest = z
  .strictObject({
    up_to: z
      .string()
      .regex(/^notice_[0-9a-v]{26}$/, 'must be the ID of a notice')
      .describe('The newest notice that was shown.'),
  })
  .meta({ id: 'ReadNoticesRequest' });
export const NoticeParams = idParams('The notice.');

export const balanceThreshold = z
  .int()
  .min(1)
  .max(1_000_000_000)
  .nullable()
  .describe('A notice is sent when fewer live credits are available; null sends none.');

export const BalanceAlert = z.object({ threshold: balanceThreshold }).meta({ id: 'BalanceAlert' });
export type BalanceAlert = z.infer<typeof BalanceAlert>;

export const NoticeSettings = z
  .object({
    webhook_url: z.string().nullable().describe('Receives every notice; null sends none.'),
    webhook_url_source: z
      .enum(['environment', 'dashboard'])
      .nullable()
      .describe('With `environment` it can only be changed there.'),
    webhook_secret: z
      .string()
      .describe('Signs notices, as Standard Webhooks says.')
      .meta({ format: secretFormat }),
    mail_from: z.string().nullable().describe('The sender of mail; null without SMTP.'),
    mails_waiting: z.int().min(0),
    mails_failed: z.int().min(0).describe('In the last 30 days.'),
    webhooks_waiting: z.int().min(0),
    webhooks_failed: z.int().min(0).describe('In the last 30 days.'),
    last_mail_error: z.string().nullable().describe('Of a mail that has not been sent.'),
    last_webhook_error: z.string().nullable().describe('Of a notice that was not delivered.'),
  })
  .meta({ id: 'NoticeSettings' });
export type NoticeSettings = z.infer<typeof NoticeSettings>;
export const SetNoticeSettingsRequest = z
  .strictObject({ webhook_url: z.string().min(1).max(2048).nullable() })
  .meta({ id: 'SetNoticeSettingsRequest' });

export const TestMailResponse = z
  .object({ id: z.string().describe('Of the mail that was queued.'), recipient: z.string() })
  .meta({ id: 'TestMail' });
export type TestMailResponse = z.infer<typeof TestMailResponse>;

/** What the operator's webhook receives. */
export type NoticePayload = {
  readonly type: 'notice.raised';
  readonly created_at: number;
  readonly data: Omit<Notice, 'resolved_at'>;
};
