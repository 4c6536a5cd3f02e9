/** A webhook receiver that remembers its calls and answers as it is told. Loopback only. */
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

export type ReceivedCall = {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** As it came, for signatures. */
  readonly raw: string;
  readonly body: { readonly id: string; readonly status: string } & Record<string, unknown>;
};
export type Reaction = (call: ReceivedCall, answer: ServerResponse, count: number) => void;

export type Receiver = {
  readonly url: string;
  readonly calls: readonly ReceivedCall[];
  /** How the next calls are answered; 200 at first. */
  react(reaction: Reaction): void;
  /** Resolves when so many calls have arrived. */
  received(count: number): Promise<readonly ReceivedCall[]>;
  close(): Promise<void>;
};

export async function startReceiver(): Promise<Receiver> {
  const calls: ReceivedCall[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  let reaction: Reaction = (_call, answer) => void answer.writeHead(200).end();
  const server = createServer(async (request, answer) => {
    const raw = await readText(request);
    if (raw === null) return;
    const call = { path: request.url ?? '', headers: request.headers, raw, body: JSON.parse(raw) };
    calls.push(call);
    reaction(call, answer, calls.length);
    for (const one of waiting.filter(({ count }) => calls.length >= count)) one.resolve();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    calls,
    react: (next) => {
      reaction = next;
    },
    async received(count) {
      if (calls.length < count) {
        await new Promise<void>((resolve) => waiting.push({ count, resolve }));
      }
      return calls;
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
