/**
 * Handles errors of Node's HTTP parser: sends the contract's error response if no other response is
 * in progress on the connection, then closes it.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type ApiError, invalidRequest } from '@vidgen/contract/api-error.ts';
import { errorResponse, newRequestId, routeNotFound } from './error-response.ts';
import { securityHeaders } from './send.ts';

type ParserError = Error & { readonly code?: string; readonly rawPacket?: unknown };

/** Responses in progress, mostly one, and the last response of a connection. */
type Connection = { readonly open: ServerResponse[]; latest: ServerResponse };

const connections = new WeakMap<Socket, Connection>();

/** `onClose` is called when the response was sent, or its connection is gone. */
export function trackResponse(response: ServerResponse, onClose: () => void): void {
  // The response of a pipelined request has no socket until it is its turn.
  const { socket } = response.req;
  let connection = connections.get(socket);
  if (!connection) {
    connection = { open: [], latest: response };
    connections.set(socket, connection);
  }
  const { open } = connection;
  open.push(response);
  connection.latest = response;
  response.on('close', () => {
    open.splice(open.indexOf(response), 1);
    onClose();
  });
}

const responsesOf = (socket: Socket): readonly ServerResponse[] =>
  connections.get(socket)?.open ?? [];

export const responsesInProgress = (socket: Socket): number => responsesOf(socket).length;

/** Whether the client is still sending the body of a request. */
export const hasPendingBody = (socket: Socket): boolean =>
  responsesOf(socket).some(({ req }) => !req.complete);

/** Whether a request that has arrived is being handled, or a response is being sent. */
export const isAnswering = (socket: Socket): boolean =>
  responsesOf(socket).some((response) => response.headersSent || response.req.complete);

/** Connections exempt from Node's request timeout: the route has its own timer. */
const slowBodySockets = new WeakSet<Socket>();

export function allowSlowBody(socket: Socket): { stop(): void } {
  slowBodySockets.add(socket);
  return { stop: () => void slowBodySockets.delete(socket) };
}

export function handleClientError(error: ParserError, socket: Socket): void {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && slowBodySockets.has(socket)) return;
  // A complete request may have been executed, so "bad request" would be wrong, and bytes in the
  // middle of a response would corrupt it.
  if (isAnswering(socket) || error.code === 'ECONNRESET' || !socket.writable)
    return void socket.destroy();
  // Rejected before the body was read: the bytes belong to the same request, and a second response
  // would be taken for the response to the next one.
  const last = connections.get(socket)?.latest;
  if (last?.headersSent && !last.req.complete) return void socket.destroySoon();
  const { status, body } = errorResponse(toApiError(error));
  const text = JSON.stringify(body);
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': newRequestId(),
    ...securityHeaders({ isFile: false }),
    'content-length': Buffer.byteLength(text),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const reason = status === 404 ? 'Not Found' : 'Bad Request';
  socket.end(`HTTP/1.1 ${status} ${reason}\r\n${lines.join('')}\r\n${text}`);
}

function toApiError({ code, rawPacket }: ParserError): ApiError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return invalidRequest('The URL and headers together must be at most 16 KiB.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return invalidRequest('The request must arrive within 30 seconds, its headers within 15.');
    case 'HPE_INVALID_METHOD':
      // An unknown method in a valid request line is 404. Anything else is not HTTP.
      return /^[A-Z-]+ \S+ HTTP\/1\.[01]\r\n/.test(String(rawPacket)) ? routeNotFound() : notHttp();
    default:
      return notHttp();
  }
}

const notHttp = (): ApiError => invalidRequest('The request is not valid HTTP/1.1.');
