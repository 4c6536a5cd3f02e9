/**
 * Writes the mail with a one-time link to the outbox, in the transaction that creates the link:
 * both exist, or neither. The link is sent only while it is valid.
 */
import { linkUrl, type OneTimeLink } from '../../accounts/people/one-time-link.ts';
import type { Transaction } from '../../database/database.ts';
import { isMailAddress } from '../../messages/mail-address.ts';
import { invitationMail, passwordMail } from '../../messages/mail-text.ts';
import { insertMessage } from '../../messages/outbox.ts';
import type { ApiServices } from '../http/handler.ts';

/** Returns whether a mail will be sent: not without an address, and not without SMTP. */
export async function queueLinkMail(
  { messages }: Pick<ApiServices, 'messages'>,
  tx: Transaction,
  link: OneTimeLink & { readonly token: string },
): Promise<boolean> {
  const { purpose, expiresAt, accountName, role, accountId } = link;
  const recipient = purpose === 'password' ? link.email : link.invitedEmail;
  if (messages.mailer === null || recipient === null || !isMailAddress(recipient)) return false;
  const publicUrl = messages.publicUrl();
  const parts = { link: linkUrl(publicUrl, link), expiresAt, publicUrl };
  const account = accountName !== null && role !== null ? { name: accountName, role } : null;
  const mail =
    purpose === 'password'
      ? passwordMail(parts)
      : invitationMail({ ...parts, invitedBy: link.createdBy, account });
  await insertMessage(tx, messages.sealer, {
    ...{ channel: 'mail', recipient, linkId: link.id, accountId },
    kind: purpose === 'password' ? 'password' : 'invitation',
    content: JSON.stringify(mail),
  });
  return true;
}
