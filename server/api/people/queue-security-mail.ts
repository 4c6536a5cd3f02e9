/**
 * Tells a person by mail how their login was changed, in the transaction of the change: both
 * happen, or neither. Without SMTP, only the audit log has it.
 */
import type { PersonIdentity } from '../../accounts/people/person.ts';
import type { Transaction } from '../../database/database.ts';
import { isMailAddress } from '../../messages/mail-address.ts';
import { insertMessage } from '../../messages/outbox.ts';
import { type SecurityChange, securityMail } from '../../messages/security-mail.ts';
import type { ApiServices } from '../http/handler.ts';

export async function queueSecurityMail(
  { messages }: Pick<ApiServices, 'messages'>,
  tx: Transaction,
  { person, change }: { readonly person: PersonIdentity; readonly change: SecurityChange },
): Promise<void> {
  const { email: recipient } = person;
  if (messages.mailer === null || !isMailAddress(recipient)) return;
  await insertMessage(tx, messages.sealer, {
    ...{ channel: 'mail', kind: change.kind, recipient },
    content: JSON.stringify(securityMail(change, messages.publicUrl())),
  });
}
