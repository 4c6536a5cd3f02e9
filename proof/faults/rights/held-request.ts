/** A request whose body is held back after its headers, as a hostile or slow client does. */
import { text } from 'node:stream/consumers';
import { sleep } from '../../../server/process/clock.ts';
import { openSocket, type ParsedResponse, parseResponses } from '../../kit/raw-http.ts';

export type RawRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
};

export type HeldRequest = {
  /** Sends the rest of the body and returns the response. */
  finish(): Promise<ParsedResponse>;
};

/** How long the service takes at most to judge the headers; longer only weakens a test. */
const authorizeMs = 60;

/** Sends the headers and all of the body but its last byte, and waits until they are judged. */
export async function holdRequest(url: string, request: RawRequest): Promise<HeldRequest> {
  const { method, path, headers, body } = request;
  const socket = await openSocket(url);
  const lines = Object.entries({
    host: new URL(url).host,
    connection: 'close',
    'content-length': String(body.length),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  socket.write(body.subarray(0, -1));
  await sleep(authorizeMs);
  return {
    async finish() {
      socket.write(body.subarray(-1));
      const [response] = parseResponses(await text(socket));
      if (!response) throw new Error(`no response to ${method} ${path}`);
      return response;
    },
  };
}

export const sendRequest = async (url: string, request: RawRequest): Promise<ParsedResponse> =>
  await (await holdRequest(url, request)).finish();
