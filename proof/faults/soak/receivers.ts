/**
 * The receivers of webhook calls in a soak run, good and bad ones, in our own process. Of each task
 * they remember what they were told and how often, and no bodies: they hear of tens of thousands.
 */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, nowMs } from '../../../server/clock.ts';
import { closeServer } from '../../kit/result-server.ts';
import type { Manner } from './schedule.ts';

type Heard = { calls: number; readonly messages: Set<string> };

export type Receivers = {
  urlOf(manner: Manner): string;
  /** How many calls there were about a task, and how many different messages they brought. */
  heardOf(taskId: string): { readonly calls: number; readonly messages: number };
  readonly calls: () => number;
  /** Seconds from the end of a task to its call at a good receiver, since the last time. */
  takeLateness(): number[];
  close(): Promise<void>;
};

const slowMs = 3000;
const flakyCalls = 2;

export async function startReceivers({
  resultLifeMs,
}: {
  resultLifeMs: number;
}): Promise<Receivers> {
  const heard = new Map<string, Heard>();
  let calls = 0;
  let lateness: number[] = [];

  function hear(request: IncomingMessage, raw: string): Heard {
    const { id, data } = JSON.parse(raw) as { id: string; data: { video_expires_at?: string } };
    const known = heard.get(id) ?? { calls: 0, messages: new Set<string>() };
    heard.set(id, known);
    calls += 1;
    known.calls += 1;
    const message = `${request.headers['webhook-id']} ${raw}`;
    known.messages.add(createHash('sha256').update(message).digest('base64'));
    if (request.url === '/good' && data.video_expires_at && known.calls === 1) {
      const finalMs = new Date(data.video_expires_at).getTime() - resultLifeMs;
      lateness.push(Math.max(0, nowMs() - finalMs) / 1000);
    }
    return known;
  }

  const server = createServer(async (request, response) => {
    const raw = await readText(request);
    if (raw === null) return;
    const known = hear(request, raw);
    answer(request.url?.slice(1) as Manner, { response, calls: known.calls });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    urlOf: (manner) => `http://127.0.0.1:${port}/${manner}`,
    heardOf(taskId) {
      const known = heard.get(taskId);
      return { calls: known?.calls ?? 0, messages: known?.messages.size ?? 0 };
    },
    calls: () => calls,
    takeLateness() {
      const taken = lateness;
      lateness = [];
      return taken;
    },
    close: () => closeServer(server),
  };
}

function answer(
  manner: Manner,
  { response, calls }: { response: ServerResponse; calls: number },
): void {
  const isRefused = manner === 'failing' || (manner === 'flaky' && calls <= flakyCalls);
  const end = () => void response.writeHead(isRefused ? 503 : 200).end();
  if (manner === 'slow') after(slowMs, end);
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
