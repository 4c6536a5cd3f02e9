/**
 * The events of the fake's `/ws`. As on the real server, events of a prompt go only to the client
 * whose `client_id` it has, and a second connection of a client replaces the first.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { asJson, asRecord } from '../../../server/providers/toolkit/response-values.ts';
import { acceptWebSocket, type ServerWebSocket } from '../web-socket.ts';

export function createEvents(queueRemaining: () => number) {
  const clients = new Map<string, ServerWebSocket>();
  const open = new Set<ServerWebSocket>();
  const status = () => ({ status: { exec_info: { queue_remaining: queueRemaining() } } });
  const send = (type: string, data: object, client: string | undefined): void =>
    clients.get(client ?? '')?.send(JSON.stringify({ type, data }));
  const broadcast = (type: string, data: object): void => {
    for (const client of clients.keys()) send(type, data, client);
  };

  return {
    send,
    broadcast,
    /** After every change of the queue. */
    queueUpdated: (): void => broadcast('status', status()),
    connect(request: IncomingMessage, socket: Duplex): void {
      const { searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
      const sid = searchParams.get('clientId') || randomUUID().replaceAll('-', '');
      let isFirst = true;
      const client = acceptWebSocket(request, socket, {
        message(text) {
          const { type } = asRecord(asJson(Buffer.from(text))) ?? {};
          if (isFirst && type === 'feature_flags') {
            send('feature_flags', { supports_preview_metadata: true }, sid);
          }
          isFirst = false;
        },
        close() {
          open.delete(client);
          if (clients.get(sid) === client) clients.delete(sid);
        },
      });
      open.add(client);
      clients.set(sid, client);
      send('status', { ...status(), sid }, sid);
    },
    close(): void {
      for (const client of open) client.destroy();
    },
  };
}
