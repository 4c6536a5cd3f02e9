/** A webhook receiver on 127.0.0.1 that records webhooks and responds as a test says. */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { readBody, startLocalServer } from './local-server.ts';

type ReceivedWebhook = {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The body as received, for signatures. */
  readonly raw: string;
  readonly body: { readonly id: string; readonly status: string } & Record<string, unknown>;
};
type WebhookHandler = (webhook: ReceivedWebhook, response: ServerResponse, count: number) => void;

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

export async function startReceiver() {
  const webhooks: ReceivedWebhook[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  let handler: WebhookHandler = (_webhook, response) => void response.writeHead(200).end();
  const { origin, close } = await startLocalServer(async (request, response) => {
    // A request that breaks off while it is being sent is not a webhook.
    const raw = (await readBody(request).catch(() => null))?.toString();
    if (raw === undefined) return;
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
  return {
    url: `${origin}/hook`,
    webhooks: webhooks as readonly ReceivedWebhook[],
    onWebhook: (next: WebhookHandler): void => {
      handler = next;
    },
    /** Resolves when `count` webhooks have arrived in total. */
    async waitForWebhooks(count: number): Promise<readonly ReceivedWebhook[]> {
      if (webhooks.length < count) {
        await new Promise<void>((resolve) => waiting.push({ count, resolve }));
      }
      return webhooks;
    },
    close,
  };
}
