/** Raw HTTP over a socket, for requests that no client library would send. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';

export type ParsedResponse = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
};

export async function openSocket(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => {}); // A closed connection is an outcome, not a failure of the test.
  await once(socket, 'connect');
  return socket;
}

/** Sends bytes, reads until the connection closes, and returns all responses in order. */
export async function sendRaw(url: string, bytes: string | Buffer): Promise<ParsedResponse[]> {
  const socket = await openSocket(url);
  socket.write(bytes);
  return parseResponses(await text(socket).catch(() => ''));
}

/** Parses responses with a `content-length` or without a body. */
export function parseResponses(data: string): ParsedResponse[] {
  const responses: ParsedResponse[] = [];
  let rest = Buffer.from(data);
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) throw new Error(`no response: ${rest.toString().slice(0, 200)}`);
    const [line = '', ...fields] = rest.subarray(0, end).toString().split('\r\n');
    const headers = new Headers(
      fields.map((field) => [
        field.slice(0, field.indexOf(':')),
        field.slice(field.indexOf(':') + 1),
      ]),
    );
    const from = end + 4;
    const to = from + Number(headers.get('content-length') ?? 0);
    const body = rest.subarray(from, to).toString();
    responses.push({ status: Number(line.split(' ')[1]), headers, body: jsonOr(body) });
    rest = rest.subarray(to);
  }
  return responses;
}

function jsonOr(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
