/**
 * Everything outside the service that a task needs: an upstream that finishes a generation at once,
 * and receivers of webhooks over HTTP and HTTPS. Its processor time is not counted.
 */
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import { resultVideoPath } from '../kit/result-server.ts';
import type { OutsideMessage, OutsideOptions, OutsideReport } from './outside.ts';

const { key, cert } = JSON.parse(process.argv[2]!) as OutsideOptions;
const video = readFileSync(resultVideoPath);
let operations = 0;
let webhooks = 0;
let hanging = new Set<string>();
const silent = new Set<Socket>();

function respond(request: IncomingMessage, response: ServerResponse): void {
  request.resume().once('end', () => {
    const { url = '' } = request;
    if (url === '/hook') return receive(request, response);
    if (url === '/start') return sendJson(response, { id: `operation-${++operations}` });
    if (url.startsWith('/status/')) {
      const host = request.headers.host;
      return sendJson(response, { state: 'done', video: `http://${host}/video.mp4` });
    }
    response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': video.length });
    response.end(video);
  });
}

/** A hanging receiver accepts the request and never responds. */
function receive({ socket }: IncomingMessage, response: ServerResponse): void {
  if (hanging.has(socket.localAddress!)) return void silent.add(socket);
  webhooks += 1;
  response.writeHead(200, { 'content-length': 0 }).end();
}

function sendJson(response: ServerResponse, body: object): void {
  const text = JSON.stringify(body);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length });
  response.end(text);
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    // Receivers have addresses of their own: 127.0.0.1, 127.0.0.2 and so on.
    server.listen(0, '0.0.0.0', () => resolve((server.address() as AddressInfo).port));
  });
}

process.on('message', (message: OutsideMessage) => {
  if ('hanging' in message) {
    hanging = new Set(message.hanging);
    for (const socket of silent) socket.destroy();
    silent.clear();
  }
  process.send!({ webhooks, hanging: silent.size } satisfies OutsideReport);
});
process.on('disconnect', () => process.exit());
const keepAlive = { keepAliveTimeout: 60_000 };
const port = await listen(createServer(keepAlive, respond));
const securePort = await listen(createSecureServer({ ...keepAlive, key, cert }, respond));
process.send!({ port, securePort });
