/**
 * Requests with a wrong byte, or cut off, each on a connection of its own. What two readers could
 * read as one or as two requests is a table in `api/http/client-errors.test.ts`.
 */
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { openSocket, parseResponses } from '../../kit/raw-http.ts';

export type RawClient = {
  readonly url: string;
  readonly key: string;
  readonly accountId: string;
  readonly adminToken: string;
  /** Identifies the account in a response. */
  readonly balance: number;
};

type BrokenRequest = {
  readonly bytes: Buffer;
  /** Resets the connection; otherwise only the client's side of it ends. */
  readonly isReset: boolean;
};

/** A read, a create that is only estimated, one with a file in it, and an upload. */
function requestsOf({ key, accountId, adminToken }: RawClient): string[] {
  const request = (line: string, token: string, type = '', body = '') =>
    `${line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n` +
    `Authorization: Bearer ${token}\r\n` +
    (body && `Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n`) +
    `\r\n${body}`;
  const estimate = (input: object) => {
    const body = JSON.stringify({ model: 'vidgen-2-0-mini', input: { prompt: 'x', ...input } });
    return request('POST /v1/videos/generations/estimate', key, 'application/json', body);
  };
  const upload = `POST /admin/accounts/${accountId}/uploads`;
  return [
    request('GET /v1/credits', key),
    estimate({}),
    estimate({ image_urls: [`data:image/png;base64,iVBORw0KGgo${'A'.repeat(5000)}`] }),
    request(upload, adminToken, 'image/png', `\x89PNG${'x'.repeat(200_000)}`),
  ];
}

export const brokenRequest = (client: RawClient): fc.Arbitrary<BrokenRequest> =>
  fc
    .record({
      request: fc.constantFrom(...requestsOf(client)),
      /** Most places are in the head, which is short. */
      place: fc.oneof(fc.nat(300), fc.nat(200_000)),
      change: fc.constantFrom('replaced', 'removed', 'doubled', 'cut'),
      byte: fc.nat(255),
      isReset: fc.boolean(),
    })
    .map(({ request, place, change, byte, isReset }) => {
      const right = Buffer.from(request, 'latin1');
      const at = place % right.length;
      const before = right.subarray(0, change === 'doubled' ? at + 1 : at);
      const after = right.subarray(change === 'doubled' ? at : at + 1);
      const middle = Buffer.from(change === 'replaced' ? [byte] : []);
      const bytes = change === 'cut' ? before : Buffer.concat([before, middle, after]);
      return { bytes, isReset };
    });

/** Returns what is wrong with the responses, or null. */
export async function rawFault(
  { url, balance }: RawClient,
  { bytes, isReset }: BrokenRequest,
): Promise<string | null> {
  const socket = await openSocket(url);
  if (isReset) {
    await new Promise((resolve) => socket.write(bytes, resolve));
    socket.resetAndDestroy();
    return null;
  }
  socket.end(bytes);
  const responses = parseResponses(await text(socket).catch(() => ''));
  // A length that became shorter makes the rest of the body a second request, which is none.
  if (responses.length > 2) return `${responses.length} responses`;
  for (const { status, body, headers } of responses) {
    const excerpt = `${status} ${JSON.stringify(body).slice(0, 300)}`;
    if (status >= 500) return `a server error: ${excerpt}`;
    if (!/^req_/.test(headers.get('x-request-id') ?? '')) return `no x-request-id: ${excerpt}`;
    const { error, available } = body as { error?: { code?: string }; available?: number };
    if (status >= 400 && !error?.code) return `not the shape of an error: ${excerpt}`;
    if (available !== undefined && available !== balance) return `another's balance: ${excerpt}`;
  }
  return null;
}
