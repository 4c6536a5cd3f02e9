/**
 * What Node's HTTP parser gave up on: answered like any other bad request where nothing else is
 * being answered on the connection, then hung up.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Refusal } from '../refusal.ts';
import { errorReply, newRequestId, noSuchPath } from './answer.ts';
import { securityHeaders } from './security-headers.ts';

type ParserError = Error & { readonly code?: string; readonly rawPacket?: unknown };

/** Answers under way, by connection, and the latest of each, under way or not. */
const underWay = new WeakMap<Socket, Set<ServerResponse>>();
const latest = new WeakMap<Socket, ServerResponse>();

export function noteAnswer(response: ServerResponse): void {
  const { socket } = response;
  if (!socket) return;
  const those = underWay.get(socket) ?? new Set();
  underWay.set(socket, those.add(response));
  latest.set(socket, response);
  response.once('close', () => those.delete(response));
}

/** Connections whose request may take longer to arrive than Node allows; somebody else counts. */
const patient = new WeakSet<Socket>();

export function allowSlowBody(socket: Socket): { stop(): void } {
  patient.add(socket);
  return { stop: () => void patient.delete(socket) };
}

export function answerUnparsed(error: ParserError, socket: Socket): void {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && patient.has(socket)) return;
  // A request that arrived whole may have been acted upon: "bad request" would be a lie about it,
  // and words in the middle of an answer would spoil that one.
  const isBusy = [...(underWay.get(socket) ?? [])].some(
    (response) => response.headersSent || response.req.complete,
  );
  if (isBusy || error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  // Refused before it was read whole: what comes now is still of the same request, and a second
  // answer to it would be taken for the answer to the next.
  const last = latest.get(socket);
  if (last?.headersSent && !last.req.complete) return void socket.destroySoon();
  const { status, body } = errorReply(refusalOf(error));
  const text = JSON.stringify(body);
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': newRequestId(),
    ...securityHeaders({ isFile: false }),
    'content-length': Buffer.byteLength(text),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const words = status === 404 ? 'Not Found' : 'Bad Request';
  socket.end(`HTTP/1.1 ${status} ${words}\r\n${lines.join('')}\r\n${text}`);
}

function refusalOf({ code, rawPacket }: ParserError): Refusal {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return badRequest('The address and the headers together must be at most 16 KiB.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return badRequest('The request must arrive within 30 seconds, its headers within 15.');
    case 'HPE_INVALID_METHOD':
      // A made-up method on a proper request line is an unknown method; anything else is no HTTP.
      return /^[A-Z-]+ \S+ HTTP\/1\.[01]\r\n/.test(String(rawPacket)) ? noSuchPath() : notHttp();
    default:
      return notHttp();
  }
}

const notHttp = (): Refusal => badRequest('The request is not valid HTTP/1.1.');

const badRequest = (message: string): Refusal => new Refusal('invalid_request', message);
