/**
 * Sends mail by SMTP. `nodemailer` is imported with the first mail: it takes 28 MB, and most
 * processes send none. Failures are results.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Mail as Transport } from 'nodemailer';
import { lookupOperatorHost, requireOperatorHost } from '../config/operator-host.ts';
import { startDeadline } from '../process/clock.ts';
import type { SmtpSettings } from './smtp-settings.ts';
import { isMailAddress, type Sender } from './smtp-settings.ts';

export type Mail = {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
};

export type MailResult =
  | { readonly outcome: 'sent' }
  | { readonly outcome: 'retry' | 'rejected'; readonly error: string };

export type Mailer = {
  readonly from: Sender;
  /** `id` becomes the Message-ID, so that receivers recognize a repeat. */
  send(mail: Mail & { readonly id: string; readonly to: string }): Promise<MailResult>;
};

const connectMs = 10_000;
/** Less than `claimSeconds` of the outbox. */
const sendMs = 60_000;

export function createMailer(settings: SmtpSettings, from: Sender): Mailer {
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
  return {
    from,
    async send({ id, to, subject, text, html }) {
      if (!isMailAddress(to)) return { outcome: 'rejected', error: 'invalid email address' };
      const connection = await openSocket(settings).catch((error: SmtpError) => failureOf(error));
      if ('outcome' in connection) return connection;
      const transport = await openTransport(settings, connection);
      using deadline = startDeadline(sendMs);
      const sending = transport.sendMail({
        from: { name: from.name, address: from.address },
        to: { name: '', address: to },
        // Explicit, so that no header is parsed for recipients.
        envelope: { from: from.address, to: [to] },
        messageId: `<${id}@${domain}>`,
        subject: subject.replaceAll(/\p{C}+/gu, ' '),
        text,
        html,
        headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      return await Promise.race([sending, rejectAfter(deadline.signal)])
        .then(
          () => ({ outcome: 'sent' }) as const,
          (error: SmtpError) => failureOf(error),
        )
        .finally(() => connection.destroy());
    },
  };
}

type SmtpError = Error & {
  readonly code?: string;
  readonly responseCode?: number;
  readonly command?: string;
};

const rejectAfter = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('timed out')), { once: true });
  });

/**
 * Only a server that refuses the recipient or the content for good ends a mail. A wrong password,
 * sender or certificate is a setting, and the mail is sent once it is corrected.
 */
function failureOf(error: SmtpError): MailResult {
  const { code, responseCode = 0, command, message } = error;
  const isFinal = /^(RCPT TO|DATA)$/.test(command ?? '') && responseCode >= 500;
  return { outcome: isFinal ? 'rejected' : 'retry', error: `${code ?? 'error'}: ${message}` };
}

/** Not by `nodemailer`, which does not tell which address it dials. */
async function openSocket({ host, port }: SmtpSettings): Promise<Socket> {
  requireOperatorHost(host);
  using deadline = startDeadline(connectMs);
  const socket = connect({ host, port, lookup: lookupOperatorHost });
  try {
    await once(socket, 'connect', { signal: deadline.signal });
    return socket;
  } catch (error) {
    socket.destroy();
    throw deadline.hasPassed ? new Error(`no connection in ${connectMs / 1000} s`) : error;
  }
}

async function openTransport(settings: SmtpSettings, connection: Socket): Promise<Transport> {
  const { createTransport } = await import('nodemailer');
  const { host, port, tls, auth } = settings;
  return createTransport({
    connection,
    host,
    port,
    secure: tls === 'implicit',
    requireTLS: tls === 'required',
    ignoreTLS: tls === 'off',
    tls: { rejectUnauthorized: tls !== 'optional' },
    ...(auth ? { auth } : {}),
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    socketTimeout: sendMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}
