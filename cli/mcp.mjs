/**
 * The Model Context Protocol on stdin and stdout, for hosts that start a program: passes messages
 * to the service, which keeps no state between them. A create is charged once, even if its response
 * is lost.
 */
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { apiKey, serviceUrl } from './service.mjs';

/**
 * @typedef {{ name?: string, taskId?: string, requestId?: unknown, arguments?: object,
 *   _meta?: Record<string, unknown> }} McpParams
 * @typedef {{ id?: unknown, method?: string, params?: McpParams }} McpMessage
 */

/** Several messages at a time, because one may wait for a video. */
export async function mcp() {
  apiKey();
  /** @type {Map<unknown, AbortController>} */
  const controllers = new Map();
  const relays = new Set();
  for await (const line of createInterface({ input: process.stdin })) {
    const message = parseMessage(line);
    const { id, method, params } = message ?? {};
    if (method === 'notifications/cancelled') controllers.get(params?.requestId)?.abort();
    // Other notifications, and responses, mean nothing to a service without state.
    if (!message || id === undefined || method === undefined) continue;
    const controller = new AbortController();
    controllers.set(id, controller);
    const relay = relayMessage(message, controller.signal).then((response) => {
      controllers.delete(id);
      relays.delete(relay);
      if (response) writeMessage({ ...response, id });
    });
    relays.add(relay);
  }
  await Promise.all(relays);
}

/** @param {object} message */
const writeMessage = (message) => void process.stdout.write(`${JSON.stringify(message)}\n`);

/** @param {string} line @returns {McpMessage | undefined} */
function parseMessage(line) {
  if (line.trim() === '') return undefined;
  try {
    return JSON.parse(line);
  } catch {
    const error = { code: -32700, message: 'The line is not JSON.' };
    writeMessage({ jsonrpc: '2.0', id: null, error });
    return undefined;
  }
}

/**
 * Retries when no response arrives. Returns undefined if the host cancels the request.
 * @param {McpMessage} message @param {AbortSignal} signal
 */
async function relayMessage(message, signal) {
  const body = JSON.stringify(withIdempotencyKey(message));
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    authorization: `Bearer ${apiKey()}`,
    ...routingHeaders(message),
  };
  for (let attempt = 1; !signal.aborted; attempt++) {
    try {
      const response = await fetch(`${serviceUrl}/mcp`, {
        method: 'POST',
        headers,
        body,
        signal,
        // Another host must get neither the key nor the prompt.
        redirect: 'manual',
      });
      const location = response.headers.get('location');
      if (location === null) return await response.json();
      const moved = `${serviceUrl} returned ${response.status}, moved to ${location}.`;
      return { jsonrpc: '2.0', error: { code: -32603, message: `${moved} Check VIDGEN_URL.` } };
    } catch (error) {
      const { message: reason } = /** @type {Error} */ (error);
      const failure = { code: -32603, message: `Could not reach ${serviceUrl}: ${reason}.` };
      if (attempt === 4) return { jsonrpc: '2.0', error: failure };
      await sleep(2 ** (attempt - 1) * 500);
    }
  }
  return undefined;
}

/** @param {McpMessage} message @returns {McpMessage} */
function withIdempotencyKey(message) {
  const { method, params } = message;
  if (method !== 'tools/call' || params?.name !== 'create_video') return message;
  const input = { idempotency_key: randomUUID(), ...params.arguments };
  return { ...message, params: { ...params, arguments: input } };
}

/**
 * Revision 2026-07-28 repeats parts of a message in headers, which stdio does not have.
 * @param {McpMessage} message @returns {Record<string, string>}
 */
function routingHeaders({ method = '', params }) {
  const version = params?._meta?.['io.modelcontextprotocol/protocolVersion'];
  if (version === undefined) return {};
  const name = `${params?.taskId ?? params?.name ?? ''}`;
  const isPlain = /^[!-~]*$/.test(name);
  const encoded = isPlain ? name : `=?base64?${Buffer.from(name).toString('base64')}?=`;
  return {
    'mcp-protocol-version': `${version}`,
    'mcp-method': method,
    ...(name === '' ? {} : { 'mcp-name': encoded }),
  };
}
