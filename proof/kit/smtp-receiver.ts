/** A mail server on 127.0.0.1 with STARTTLS and a password, which records mail as a test says. */
import type { AddressInfo } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { waitUntil } from './wait-until.ts';

export type ReceivedMail = Email & {
  /** As in SMTP; headers may say otherwise. */
  readonly recipients: readonly string[];
  readonly isEncrypted: boolean;
  readonly raw: string;
};

/** The environment of a service that sends mail there. */
export const mailEnvironment = (smtp: { readonly url: string }) => ({
  VIDGEN_SMTP_URL: smtp.url,
  VIDGEN_MAIL_FROM: 'Paper Boat <no-reply@example.com>',
});

export async function startSmtpReceiver({ port = 0 } = {}) {
  const mails: ReceivedMail[] = [];
  let code: number | null = null;
  let losesResponse = false;
  const server = new SMTPServer({
    logger: false,
    onAuth({ username, password }, _session, callback) {
      if (username === 'vidgen@mail' && password === 'p:ss/word')
        callback(null, { user: username });
      else callback(new Error('Invalid username or password'));
    },
    onRcptTo(_address, _session, callback) {
      if (code === null) return callback();
      callback(Object.assign(new Error('rejected'), { responseCode: code }));
    },
    onData(stream, { envelope, secure }, callback) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', async () => {
        const raw = Buffer.concat(chunks);
        mails.push({
          ...(await PostalMime.parse(raw)),
          recipients: envelope.rcptTo.map(({ address }) => address),
          isEncrypted: secure,
          raw: raw.toString(),
        });
        if (losesResponse) {
          losesResponse = false;
          for (const { _socket: socket } of server.connections) socket.destroy();
        } else callback(null);
      });
    },
  });
  // A client that goes away is no error of the test.
  server.on('error', () => {});
  await new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve));
  const usedPort = (server.server.address() as AddressInfo).port;
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return {
    port: usedPort,
    url: `smtp://vidgen%40mail:p%3Ass%2Fword@127.0.0.1:${usedPort}`,
    mails,
    /** Resolves with the mails to an address when there are `count`. */
    waitForMails: (recipient: string, count = 1): Promise<readonly ReceivedMail[]> =>
      waitUntil(() => {
        const found = mails.filter(({ recipients }) => recipients.includes(recipient));
        return found.length >= count && found;
      }),
    /** Responds to recipients with this code; null accepts them. */
    rejectWith: (next: number | null): void => {
      code = next;
    },
    /** Takes the next mail, and cuts the connection instead of responding. */
    loseNextResponse: (): void => {
      losesResponse = true;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
