/**
 * Serves files on 127.0.0.1 as good and bad hosts of materials do: with and without ranges, with
 * and without a length, with any content type. It counts the requests.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { startLocalServer } from './local-server.ts';

type Served = {
  readonly bytes: Uint8Array;
  /** Responds to `Range` with 206; true by default. */
  readonly ranges?: boolean;
  /** Sends `Content-Length`; true by default. Without it the response is chunked. */
  readonly length?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
};

export type Respond = (request: IncomingMessage, response: ServerResponse) => void;

export type MediaServer = Awaited<ReturnType<typeof startMediaServer>>;

export async function startMediaServer() {
  const files = new Map<string, Served | Respond>();
  const counts = new Map<string, number>();
  let active = 0;
  let peakActive = 0;
  let sentBytes = 0;

  const { origin, close } = await startLocalServer((request, response) => {
    const name = decodeURIComponent(new URL(request.url ?? '/', 'http://x').pathname.slice(1));
    counts.set(name, (counts.get(name) ?? 0) + 1);
    active += 1;
    peakActive = Math.max(peakActive, active);
    response.once('close', () => {
      active -= 1;
    });
    const file = files.get(name);
    if (file === undefined) return void response.writeHead(404).end('no such file');
    if (typeof file === 'function') return file(request, response);
    sentBytes += send(file, request, response);
  });
  return {
    serve(name: string, what: Served | Uint8Array | Respond): string {
      files.set(name, what instanceof Uint8Array ? { bytes: what } : what);
      return `${origin}/${encodeURIComponent(name)}`;
    },
    requestCount: (name: string): number => counts.get(name) ?? 0,
    peakActive: (): number => peakActive,
    sentBytes: (): number => sentBytes,
    origin,
    close,
  };
}

function send(
  { bytes, ranges = true, length = true, headers = {} }: Served,
  request: IncomingMessage,
  response: ServerResponse,
): number {
  const rangeMatch = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
  const total = bytes.length;
  let body = bytes;
  let range: Record<string, string> = {};
  if (ranges && rangeMatch) {
    const start = Number(rangeMatch[1]);
    const end = Math.min(total, Number(rangeMatch[2]) + 1);
    if (start >= total && total > 0) {
      response.writeHead(416, { 'content-range': `bytes */${total}` }).end();
      return 0;
    }
    body = bytes.subarray(start, end);
    range = total === 0 ? {} : { 'content-range': `bytes ${start}-${end - 1}/${total}` };
  }
  response.writeHead(range['content-range'] ? 206 : 200, {
    ...range,
    ...(length ? { 'content-length': String(body.length) } : {}),
    ...headers,
  });
  response.end(body);
  return body.length;
}
