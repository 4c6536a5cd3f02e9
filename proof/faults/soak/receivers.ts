/**
 * The receivers of webhook calls in a soak run, good and bad ones, in our own process. Of each task
 * they remember what they were told and how often, and no bodies: they hear of tens of thousands.
 */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { nowMs, startTimer } from '../../../server/clock.ts';
import { closeServer } from '../../kit/result-server.ts';
import type { ReceiverBehavior } from './schedule.ts';

type TaskWebhooks = { webhooks: number; readonly messages: Set<string> };

export type Receivers = {
  urlOf(behavior: ReceiverBehavior): string;
  /** How many calls there were about a task, and how many different messages they brought. */
  webhooksOf(taskId: string): { readonly webhooks: number; readonly messages: number };
  readonly webhooks: () => number;
  /** Seconds from the end of a task to its call at a good receiver, since the last time. */
  takeLateness(): number[];
  close(): Promise<void>;
};

const slowMs = 3000;
const flakyFailures = 2;

export async function startReceivers({
  resultLifeMs,
}: {
  resultLifeMs: number;
}): Promise<Receivers> {
  const byTask = new Map<string, TaskWebhooks>();
  let webhooks = 0;
  let lateness: number[] = [];

  function record(request: IncomingMessage, raw: string): TaskWebhooks {
    const { id, data } = JSON.parse(raw) as { id: string; data: { video_expires_at?: string } };
    const known = byTask.get(id) ?? { webhooks: 0, messages: new Set<string>() };
    byTask.set(id, known);
    webhooks += 1;
    known.webhooks += 1;
    const message = `${request.headers['webhook-id']} ${raw}`;
    known.messages.add(createHash('sha256').update(message).digest('base64'));
    if (request.url === '/good' && data.video_expires_at && known.webhooks === 1) {
      const finalMs = new Date(data.video_expires_at).getTime() - resultLifeMs;
      lateness.push(Math.max(0, nowMs() - finalMs) / 1000);
    }
    return known;
  }

  const server = createServer(async (request, response) => {
    const raw = await readText(request);
    if (raw === null) return;
    const known = record(request, raw);
    respond(request.url?.slice(1) as ReceiverBehavior, { response, webhooks: known.webhooks });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    urlOf: (behavior) => `http://127.0.0.1:${port}/${behavior}`,
    webhooksOf(taskId) {
      const known = byTask.get(taskId);
      return { webhooks: known?.webhooks ?? 0, messages: known?.messages.size ?? 0 };
    },
    webhooks: () => webhooks,
    takeLateness() {
      const batch = lateness;
      lateness = [];
      return batch;
    },
    close: () => closeServer(server),
  };
}

function respond(
  behavior: ReceiverBehavior,
  { response, webhooks }: { response: ServerResponse; webhooks: number },
): void {
  const isRejected = behavior === 'failing' || (behavior === 'flaky' && webhooks <= flakyFailures);
  const end = () => void response.writeHead(isRejected ? 503 : 200).end();
  if (behavior === 'slow') startTimer(slowMs, end);
  else end();
}

/** Null when the caller died in the middle of it: that was no call. */
async function readText(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString();
  } catch {
    return null;
  }
}
