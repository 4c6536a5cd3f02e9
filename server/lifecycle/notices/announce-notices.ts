/**
 * Writes the mail and the operator's webhook of new notices to the outbox, in the commit that marks
 * them as announced: each is announced once, whichever process is first.
 */
import type { NoticeKind, NoticePayload } from '@vidgen/contract/notices.ts';
import { readNoticeWebhookUrl } from '../../accounts/installation-settings.ts';
import {
  findAccountNames,
  listAdministratorEmails,
  listOwnerEmails,
} from '../../accounts/people/membership.ts';
import type { Transaction } from '../../database/database.ts';
import { noticeMail } from '../../messages/mail-text.ts';
import { type Notice, takeUnannounced } from '../../messages/notice.ts';
import { noticeText } from '../../messages/notice-text.ts';
import { insertMessage } from '../../messages/outbox.ts';
import type { MessageDeps } from './send-messages.ts';

const noticesPerCommit = 50;

/** By mail; the webhook gets every notice. */
const audiences = {
  low_balance: 'owners',
  webhook_failing: 'owners',
  key_cap_reached: 'owners',
  refund_waiting: 'administrators',
  provider_breaker_open: 'administrators',
  negative_margin: 'administrators',
  cost_unknown: 'administrators',
  bill_differs: 'administrators',
  model_retires: 'administrators',
  canary_failed: 'administrators',
} as const satisfies Record<NoticeKind, 'owners' | 'administrators'>;

export async function announceNotices(deps: MessageDeps): Promise<void> {
  let announced: number;
  do {
    announced = await deps.db.transaction((tx) => announceSome(deps, tx));
  } while (announced === noticesPerCommit);
}

async function announceSome(deps: MessageDeps, tx: Transaction): Promise<number> {
  const notices = await takeUnannounced(tx, { limit: noticesPerCommit });
  if (notices.length === 0) return 0;
  const url = deps.noticeWebhookUrl ?? (await readNoticeWebhookUrl(tx));
  const accountIds = notices.flatMap(({ accountId }) => accountId ?? []);
  const names = await findAccountNames(tx, accountIds);
  for (const notice of notices) {
    const accountName = (notice.accountId && names.get(notice.accountId)) || null;
    if (url !== null) await queueWebhook(deps, tx, { notice, accountName, url });
    // A condition that comes and goes fills the list, not the mailbox.
    if (deps.mailer && !notice.isRepeated) await queueMails(deps, tx, { notice, accountName });
  }
  return notices.length;
}

type Announcement = { readonly notice: Notice; readonly accountName: string | null };

async function queueWebhook(
  { sealer }: MessageDeps,
  tx: Transaction,
  { notice, accountName, url }: Announcement & { readonly url: string },
): Promise<void> {
  const { id, kind, accountId, detail } = notice;
  const { title, message } = noticeText(notice, accountName);
  const createdAt = Math.floor(notice.createdAt.getTime() / 1000);
  const payload: NoticePayload = {
    type: 'notice.raised',
    created_at: createdAt,
    data: {
      id,
      kind,
      title,
      message,
      detail,
      created_at: createdAt,
      account_id: accountId,
      account_name: accountName,
    },
  };
  const content = JSON.stringify(payload);
  await insertMessage(tx, sealer, { channel: 'webhook', kind, recipient: url, content, accountId });
}

async function queueMails(
  { sealer, publicUrl }: MessageDeps,
  tx: Transaction,
  { notice, accountName }: Announcement,
): Promise<void> {
  const { kind, accountId } = notice;
  const recipients =
    audiences[kind] === 'owners' && accountId !== null
      ? await listOwnerEmails(tx, accountId)
      : await listAdministratorEmails(tx);
  const text = noticeText(notice, accountName);
  const content = JSON.stringify(
    noticeMail({
      title: text.title,
      message: text.message,
      action: { label: text.label, url: `${publicUrl()}/dashboard${text.page}` },
      publicUrl: publicUrl(),
    }),
  );
  for (const recipient of recipients) {
    await insertMessage(tx, sealer, { channel: 'mail', kind, recipient, content, accountId });
  }
}
