/** A webhook receiver that remembers its calls and answers as it is told. Loopback only. */
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

export type ReceivedWebhook = {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** As it came, for signatures. */
  readonly raw: string;
  readonly body: { readonly id: string; readonly status: string } & Record<string, unknown>;
};
export type WebhookHandler = (
  webhook: ReceivedWebhook,
  response: ServerResponse,
  count: number,
) => void;

export type Receiver = {
  readonly url: string;
  readonly webhooks: readonly ReceivedWebhook[];
  /** How the next calls are answered; 200 at first. */
  onWebhook(handler: WebhookHandler): void;
  /** Resolves when so many calls have arrived. */
  waitForWebhooks(count: number): Promise<readonly ReceivedWebhook[]>;
  close(): Promise<void>;
};

export async function startReceiver(): Promise<Receiver> {
  const webhooks: ReceivedWebhook[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  let handler: WebhookHandler = (_webhook, response) => void response.writeHead(200).end();
  const server = createServer(async (request, response) => {
    const raw = await readText(request);
    if (raw === null) return;
    const webhook = {
      path: request.url ?? '',
      headers: request.headers,
      raw,
      body: JSON.parse(raw),
    };
    webhooks.push(webhook);
    handler(webhook, response, webhooks.length);
    for (const one of waiting.filter(({ count }) => webhooks.length >= count)) one.resolve();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    webhooks,
    onWebhook: (next) => {
      handler = next;
    },
    async waitForWebhooks(count) {
      if (webhooks.length < count) {
        await new Promise<void>((resolve) => waiting.push({ count, resolve }));
      }
      return webhooks;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Null when the caller died in the middle of it: that was no call. */
async function readText(request: IncomingMessage): Promise<string | null> {
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString();
  } catch {
    return null;
  }
}
