/**
 * Idle outgoing connections to the service, each of which carries one request to the engine of this
 * machine. Nothing else can be reached through them, and no other paths than the service uses.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { createServer, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { CliError, printStatus } from './output.mjs';
import { acceptOf, WebSocketClient } from './web-socket.mjs';

/**
 * @typedef {import('node:http').IncomingMessage} IncomingMessage
 * @typedef {{ name: string, urls: string[], token: string, engine: URL,
 *   kind: keyof typeof enginePaths, slots: number }} TunnelOptions
 * @typedef {{ url: string, idle: Set<WebSocketClient>, dialing: number, failures: number }} Link
 */

export const tunnelVersion = '0.3.0';

const id = '(?!\\.\\.?(?:/|$))[\\w.~:@=-]+';
/** What the adapters of the service send. */
export const enginePaths = {
  'openai-videos':
    `((GET|POST) /v1/videos|(GET|DELETE) /v1/videos/${id}|` + `GET /v1/videos/${id}/content)`,
  comfyui:
    '(POST /(prompt|upload/image|interrupt)|(GET|POST) /queue|GET /view|' +
    `GET /history/${id}|POST /api/jobs/${id}/cancel)`,
};

const readyByte = 1;
const refusedByte = 0;
const dialMsMax = 15_000;
const backoffMsMax = 15_000;
/** The service pings every 15 seconds. */
const silenceMsMax = 45_000;
/** While a task runs, the service asks for it more often. */
const quietMs = 60_000;

export class Tunnel {
  /** @param {TunnelOptions} options */
  constructor(options) {
    this.options = options;
    this.slots = options.slots;
    this.instance = randomUUID();
    this.isEnded = false;
    this.inProgress = 0;
    this.lastRequestAt = 0;
    /** By the connection of a request. @type {WeakMap<object, import('node:net').Socket>} */
    this.engineSockets = new WeakMap();
    this.server = createServer((request, response) => this.forward(request, response));
    this.allowed = new RegExp(`^${enginePaths[options.kind]}(\\?.*)?$`);
    /** Resolves when the service will not have this box any more. @type {Promise<CliError>} */
    this.failed = new Promise((resolve) => {
      this.fail = resolve;
    });
    /** @type {Link[]} */
    this.links = options.urls.map((url) => ({ url, idle: new Set(), dialing: 0, failures: -1 }));
    for (const link of this.links) this.fill(link);
    this.watch = setInterval(() => this.dropSilent(), 5000);
  }

  /** One connection finds out whether there is a service first. @param {Link} link */
  fill(link) {
    const wanted = link.failures === 0 ? 3 + this.options.slots : 1;
    while (!this.isEnded && link.idle.size + link.dialing < wanted) this.dial(link);
  }

  /** @param {Link} link */
  dial(link) {
    const { name, token, kind } = this.options;
    link.dialing += 1;
    const key = randomBytes(16).toString('base64');
    const url = new URL(`${link.url}/fleet/v1/connect`);
    const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
      agent: false,
      timeout: dialMsMax,
      headers: {
        authorization: `Bearer ${token}`,
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-key': key,
        'sec-websocket-version': '13',
        'vidgen-engine': kind,
        'vidgen-slots': `${this.slots}`,
        'vidgen-version': tunnelVersion,
        'vidgen-instance': this.instance,
      },
    });
    const again = (/** @type {string} */ reason) => {
      if (link.failures <= 0) printStatus(`${name}: not connected to ${link.url}: ${reason}`);
      link.failures = Math.max(link.failures, 0) + 1;
      const delayMs = Math.min(backoffMsMax, 500 * 2 ** Math.min(link.failures, 6));
      setTimeout(
        () => {
          link.dialing -= 1;
          this.fill(link);
        },
        delayMs * (0.5 + Math.random() / 2),
      );
    };
    request.on('timeout', () => request.destroy(new Error(`no response in ${dialMsMax / 1000} s`)));
    request.on('error', ({ message }) => again(message));
    request.on('response', async (response) => {
      const reason = await refusal(response).catch(({ message }) => message);
      const isFinal = response.statusCode === 401 || response.statusCode === 426;
      if (!isFinal) return again(reason);
      this.end();
      this.fail?.(new CliError(reason, { exit: response.statusCode === 401 ? 3 : 1 }));
    });
    request.on('upgrade', (response, socket, head) => {
      if (response.headers['sec-websocket-accept'] !== acceptOf(key)) {
        socket.destroy();
        return again('the response is not that of a vidgen service.');
      }
      link.dialing -= 1;
      if (link.failures !== 0) printStatus(`${name}: connected to ${link.url}, ready for tasks.`);
      link.failures = 0;
      socket.setTimeout(0);
      this.wait(link, new WebSocketClient(socket, head));
      this.fill(link);
    });
    request.end();
  }

  /** Until the service uses the connection. @param {Link} link @param {WebSocketClient} stream */
  wait(link, stream) {
    if (this.isEnded) return void stream.destroy();
    link.idle.add(stream);
    stream.on('error', () => {});
    stream.once('close', () => {
      if (!link.idle.delete(stream)) return;
      // All of them close when the service restarts.
      if (link.idle.size === 0) link.failures = -1;
      setTimeout(() => this.fill(link), 200 + Math.random() * 800);
    });
    stream.once('readable', () => {
      if (stream.read(1)?.[0] !== readyByte) return void stream.destroy();
      link.idle.delete(stream);
      this.fill(link);
      this.connectEngine(stream);
    });
  }

  /** Tells the service whether the engine is there. @param {WebSocketClient} stream */
  connectEngine(stream) {
    const { engine, name } = this.options;
    const socket = connect(Number(engine.port || 80), engine.hostname.replace(/[[\]]/g, ''));
    stream.once('close', () => socket.destroy());
    const refuse = (/** @type {Error} */ { message }) => {
      printStatus(`${name}: the engine does not respond: ${message}`);
      stream.end(Buffer.of(refusedByte));
    };
    socket.once('error', refuse);
    socket.once('connect', () => {
      socket.off('error', refuse).on('error', () => stream.destroy());
      this.engineSockets.set(stream, socket);
      stream.write(Buffer.of(readyByte));
      this.server.emit('connection', stream);
    });
  }

  /** @param {IncomingMessage} request @param {import('node:http').ServerResponse} response */
  forward(request, response) {
    const { name, engine } = this.options;
    const { method, url = '' } = request;
    const socket = this.engineSockets.get(request.socket);
    // A second one could be written into the body of the first.
    this.engineSockets.delete(request.socket);
    response.shouldKeepAlive = false;
    if (!socket || !this.allowed.test(`${method} ${url}`)) {
      printStatus(`${name}: refused ${method} ${url}`);
      return void response.writeHead(403).end('vidgen worker forwards what its engine is for.\n');
    }
    this.inProgress += 1;
    response.once('close', () => {
      this.inProgress -= 1;
      this.lastRequestAt = Date.now();
      const isPoll = method === 'GET' && !/\/content|^\/view/.test(url);
      const result = response.writableFinished ? response.statusCode : 'broke off';
      if (!isPoll) printStatus(`${new Date().toISOString()} ${method} ${url} ${result}`);
    });
    const headers = { ...endToEnd(request.headers), host: engine.host, connection: 'close' };
    // Node does not frame the body of other methods: it could hold a second request.
    const body = method === 'POST' ? request : [];
    if (method !== 'POST') delete headers['content-length'];
    const sent = httpRequest({ createConnection: () => socket, method, path: url, headers });
    // The service is to see a connection that breaks, as it would without a box between.
    sent.on('error', () => response.destroy());
    sent.on('response', (received) => {
      response.writeHead(received.statusCode ?? 502, endToEnd(received.headers));
      pipeline(received, response).catch(() => {});
    });
    pipeline(body, sent).catch(() => {});
  }

  dropSilent() {
    for (const stream of this.links.flatMap(({ idle }) => [...idle])) {
      if (Date.now() - stream.pingedAt > silenceMsMax) stream.destroy();
    }
  }

  /** Takes no new tasks, and resolves when the service asks for none any more. */
  async drain() {
    this.slots = 0;
    const old = this.links.flatMap(({ idle }) => [...idle]);
    for (const link of this.links) this.dial(link);
    for (const stream of old) stream.end(() => stream.destroy());
    while (this.inProgress > 0 || Date.now() - this.lastRequestAt < quietMs) await sleep(500);
    this.end();
  }

  /** Ends the idle connections; those in use finish. */
  end() {
    this.isEnded = true;
    clearInterval(this.watch);
    for (const { idle } of this.links) {
      for (const stream of idle) stream.end(() => stream.destroy());
    }
  }
}

/** @param {IncomingMessage} response */
async function refusal(response) {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) if (text.length < 10_000) text += chunk;
  const { message } = /^\{"error"/.test(text) ? JSON.parse(text).error : { message: undefined };
  return (
    message ?? `HTTP ${response.statusCode}; check --url, and that proxies pass on WebSockets.`
  );
}

const hopHeaders = ['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'te', 'trailer'];

/** @param {IncomingMessage['headers']} headers @returns {IncomingMessage['headers']} */
const endToEnd = (headers) =>
  Object.fromEntries(Object.entries(headers).filter(([header]) => !hopHeaders.includes(header)));
