/**
 * `listen`: forwards the webhooks of the account's tasks to a receiver on this machine. The bodies
 * are those that the service sends; they are signed with a secret of this command, because an API
 * key cannot read the account's secret. Tasks still send their own webhooks.
 */
import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { CliError, printStatus, show, usageError } from './output.mjs';
import { apiKey, request, taskPath } from './service.mjs';

/** @import { Values } from './arguments.mjs' */
/** @import { Task } from './wait.mjs' */

const pollMs = 2000;
const forwardTimeoutMs = 15_000;
/** Tasks can appear in the list a little after their `created_at`. */
const overlapSeconds = 60;

/** @param {Values} values */
export async function listen(values) {
  const secret = listenSecret();
  if (values['print-secret']) return show({ secret }, () => secret);
  const url = `${values['forward-to'] ?? ''}`;
  if (!/^https?:\/\/./.test(url)) {
    throw usageError('--forward-to must be a URL such as http://localhost:3000/hook.');
  }
  const follow = await startFollowing();
  printStatus(`Forwarding to ${url}. Signing secret: ${secret}`);
  for (;;) {
    for (const task of await follow()) await forward(task, { url, secret });
    await sleep(pollMs);
  }
}

/** The same in every run with the same key, which it does not reveal. */
function listenSecret() {
  return `whsec_${createHmac('sha256', apiKey()).update('vidgen listen').digest('base64')}`;
}

/** Returns a function that returns the tasks that became final since its last call. */
async function startFollowing() {
  /** @type {Set<string>} */
  const seen = new Set();
  /** @type {Set<string>} */
  const pending = new Set();
  const [newest] = await listAll('limit=1', { pagesMax: 1 });
  let since = newest?.created_at ?? 0;
  const recent = () => listAll(`created_after=${Math.max(0, since - overlapSeconds)}&limit=100`);
  // A task that moves on between the two lists is in neither, and is then read by itself.
  const unfinished = async () =>
    (
      await Promise.all(['generating', 'queued'].map((status) => listAll(`status=${status}`)))
    ).flat();
  for (const { id } of await recent()) seen.add(id);
  for (const { id } of await unfinished()) pending.add(id);
  return async () => {
    for (const { id, created_at } of await recent()) {
      since = Math.max(since, created_at);
      if (!seen.has(id)) pending.add(id);
      seen.add(id);
    }
    const open = new Set((await unfinished()).map(({ id }) => id));
    /** @type {Task[]} */
    const final = [];
    for (const id of pending) {
      if (open.has(id)) continue;
      const task = await readUnlessDeleted(id);
      if (task && task.status !== 'completed' && task.status !== 'failed') continue;
      pending.delete(id);
      if (task) final.push(task);
    }
    return final;
  };
}

/** @param {string} id @returns {Promise<Task | null>} */
async function readUnlessDeleted(id) {
  try {
    return await request(taskPath(id));
  } catch (error) {
    /** @type {any} */
    const json = error instanceof CliError ? error.info.json : null;
    if (json?.error?.code === 'not_found') return null;
    throw error;
  }
}

/** @param {string} query @returns {Promise<Task[]>} */
async function listAll(query, { pagesMax = 100 } = {}) {
  const found = [];
  let cursor = '';
  for (let page = 0; page < pagesMax; page++) {
    const json = await request(`/v1/tasks?${query}${cursor}`);
    found.push(...json.items);
    if (!json.next_cursor) break;
    cursor = `&cursor=${json.next_cursor}`;
  }
  return found;
}

/** The body of the real webhook (docs/spec.md 6.2 and 6.3). @param {Task} task */
export function webhookBody(task) {
  const { id, created_at, model, status, metadata } = task;
  const refunded = task.billing_status === 'refunded' ? task.credits : 0;
  const failure = { failed_reason: task.failed_reason, credits_refunded: refunded };
  const data = status === 'completed' ? task.data : failure;
  return JSON.stringify({ id, created_at, model, status, data, metadata });
}

/** @param {Task} task @param {{ url: string, secret: string }} receiver */
async function forward(task, { url, secret }) {
  const body = webhookBody(task);
  const id = `msg_listen_${task.id.replace('task_', '')}`;
  const timestamp = `${Math.floor(Date.now() / 1000)}`;
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'vidgen',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
  const response = await fetch(url, {
    method: 'POST',
    headers,
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(forwardTimeoutMs),
  }).then(
    async (received) => {
      await received.arrayBuffer().catch(() => undefined);
      return `${received.status}`;
    },
    ({ cause, message }) => cause?.code ?? message,
  );
  const line = { time: new Date().toISOString(), task: task.id, status: task.status, response };
  show(line, () => Object.values(line).join('\t'));
}
