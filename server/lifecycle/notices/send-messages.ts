/**
 * Sends what is due in the outbox. At least once: a worker that crashes between the server's
 * response and the commit leaves the message to another, which sends it with the same ID.
 */

import { recordAudit } from '../../accounts/audit-log.ts';
import { readNoticeWebhookSecret } from '../../accounts/installation-settings.ts';
import { findIdentity } from '../../accounts/people/identity.ts';
import { createLink, isLinkValid, linkUrl } from '../../accounts/people/one-time-link.ts';
import { findByEmail } from '../../accounts/people/person.ts';
import type { OpenIdSettings } from '../../config/env-reader.ts';
import type { Sealer } from '../../crypto/seal.ts';
import type { Database } from '../../database/database.ts';
import { databaseSeconds } from '../../database/database-clock.ts';
import type { Egress } from '../../egress/egress.ts';
import { noPasswordMail, passwordMail } from '../../messages/mail-text.ts';
import {
  type ClaimedMessage,
  claimMessages,
  deleteMessage,
  finishMessage,
  retryMessage,
  setContent,
} from '../../messages/outbox.ts';
import type { Mail, Mailer, MailResult } from '../../messages/smtp.ts';
import type { Log } from '../../telemetry/log.ts';
import { nextRetryDelay } from '../../webhooks/delivery.ts';
import { sendWebhook } from '../../webhooks/send.ts';

/** At once. A mail server limits connections, and there are few messages. */
const messagesMax = 5;

/** 17 hours in all: a mail server that is repaired the next morning still gets the mail. */
const mailRetryDelaysSeconds = [5, 30, 120, 600, 1800, 3600, 7200, 14_400, 28_800];

/** The kind of a message whose link is made when it is sent; see `api/people/sign-in.ts`. */
export const passwordRequest = 'password_request';

export async function sendMessages(deps: MessageDeps): Promise<void> {
  const { mailer } = deps;
  await Promise.all([
    mailer && drain(deps, 'mail', (message) => sendMail(deps, mailer, message)),
    drain(deps, 'webhook', (message) => sendNotice(deps, message)),
  ]);
}

type Send = (message: ClaimedMessage) => Promise<MailResult | null>;

/** Until nothing is due. A channel that is down does not delay the other. */
async function drain(
  deps: MessageDeps,
  channel: ClaimedMessage['channel'],
  send: Send,
): Promise<void> {
  let claimed: ClaimedMessage[];
  do {
    claimed = await claimMessages(deps.db, { channel, limit: messagesMax });
    await Promise.all(claimed.map((message) => sendOne(deps, message, send)));
  } while (claimed.length === messagesMax);
}

/** `send` returns null if it has ended the message itself. */
async function sendOne(deps: MessageDeps, message: ClaimedMessage, send: Send): Promise<void> {
  const { db, log } = deps;
  const fields = { messageId: message.id, kind: message.kind, attempts: message.attempts };
  const result = await send(message).catch((error: Error): MailResult => {
    log.warn({ ...fields, error }, 'message could not be prepared, retrying');
    return { outcome: 'retry', error: 'internal error' };
  });
  if (result === null) return;
  if (result.outcome === 'sent') return await finishMessage(db, message, { status: 'sent' });
  const { error } = result;
  const delaySeconds = result.outcome === 'retry' ? retryDelay(deps, message) : null;
  log.warn({ ...fields, failure: error }, 'message not sent');
  if (delaySeconds === null) await finishMessage(db, message, { status: 'failed', error });
  else await retryMessage(db, message, { delaySeconds, error });
}

const retryDelay = (deps: MessageDeps, { channel, attempts }: ClaimedMessage): number | null =>
  nextRetryDelay({
    retryDelaysSeconds:
      channel === 'mail' ? mailRetryDelaysSeconds : deps.webhookRetryDelaysSeconds,
    attemptsMade: attempts,
    random: Math.random,
  });

async function sendMail(
  deps: MessageDeps,
  mailer: Mailer,
  message: ClaimedMessage,
): Promise<MailResult | null> {
  const { db, sealer } = deps;
  const { id, linkId, recipient } = message;
  // Revoked, used or expired meanwhile, or its maker lost the right to make it.
  if (linkId !== null && !(await isLinkValid(db, linkId))) {
    await finishMessage(db, message, { status: 'cancelled' });
    return null;
  }
  const written = message.content
    ? { content: sealer.open(id, message.content), recipient }
    : await writePasswordMail(deps, message);
  if (written === null) return null;
  return await mailer.send({ ...(JSON.parse(written.content) as Mail), id, to: written.recipient });
}

/**
 * Makes the link that the sign-in page asked for. Whether the address belongs to a person is
 * decided here and not in the request, which therefore reveals nothing by its duration. The mail
 * goes to the address of the person: the one that was entered may only look the same.
 */
async function writePasswordMail(
  { db, sealer, publicUrl, openid }: MessageDeps,
  message: ClaimedMessage,
): Promise<{ readonly content: string; readonly recipient: string } | null> {
  const { id, kind } = message;
  const person = kind === passwordRequest ? await findByEmail(db, message.recipient) : null;
  if (!person) {
    await deleteMessage(db, message);
    return null;
  }
  const { id: personId, email: recipient, hasIdentity } = person;
  // A worker without the settings of the provider does not know whether it is still in use.
  if (hasIdentity && (!openid || (await findIdentity(db, { personId, issuer: openid.issuer })))) {
    const content = noPasswordMail(openid?.name ?? 'single sign-on', publicUrl());
    return { content: JSON.stringify(content), recipient };
  }
  return await db.transaction(async (tx) => {
    const createdBy = 'sign-in page';
    const link = await createLink(tx, { purpose: 'password', personId, createdBy });
    const { expiresAt } = link;
    const urls = { link: linkUrl(publicUrl(), link), publicUrl: publicUrl() };
    const content = JSON.stringify(passwordMail({ ...urls, expiresAt }));
    const stored = { content: sealer.seal(id, content), linkId: link.id, recipient };
    if (!(await setContent(tx, message, stored))) throw new Error(`lost the claim of ${id}`);
    const action = 'person.forgot_password';
    await recordAudit(tx, { actor: createdBy, action, subject: personId });
    return { content, recipient };
  });
}

/** Signed like the webhooks of accounts, with the installation's own secret. */
async function sendNotice(deps: MessageDeps, message: ClaimedMessage): Promise<MailResult | null> {
  const { db, sealer, post } = deps;
  const { id, recipient: url, content } = message;
  const delivery = { id, url, body: sealer.open(id, content!) };
  const secrets = [await readNoticeWebhookSecret(db)];
  const result = await sendWebhook(post, {
    delivery,
    secrets,
    nowSeconds: await databaseSeconds(db),
  });
  // This process is stopping: another sends it when the claim has ended.
  if (result.error === 'cancelled') return null;
  if (result.delivered) return { outcome: 'sent' };
  return { outcome: 'retry', error: result.error ?? `HTTP ${result.responseStatus}` };
}

export type MessageDeps = {
  readonly db: Database;
  readonly log: Log;
  readonly post: Egress['post'];
  /** Null without SMTP: then no mail is written to the outbox. */
  readonly mailer: Mailer | null;
  readonly sealer: Sealer;
  readonly publicUrl: () => string;
  /** Its people get no links for passwords. Null if it is not configured in this process. */
  readonly openid: Pick<OpenIdSettings, 'issuer' | 'name'> | null;
  /** Of the environment; it overrides the one that was set in the dashboard. */
  readonly noticeWebhookUrl: string | null;
  readonly webhookRetryDelaysSeconds: readonly number[];
};
