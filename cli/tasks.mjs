/** Commands that read: `get`, `list`, `models`, `credits`; and `cancel`. */
import { parsePairs } from './arguments.mjs';
import { printStatus, quoted, show, showAll, table } from './output.mjs';
import { request, taskPath } from './service.mjs';
import { checkFile, waitAndDownload } from './wait.mjs';

/** @import { Values } from './arguments.mjs' */
/** @import { Task } from './wait.mjs' */

/**
 * @typedef {{ id: string, duration: { min: number, max: number },
 *   prices: { resolution: string, credits_per_second: number }[] }} Model
 */

/** @param {Values} values @param {string} id */
export async function get(values, id) {
  if (!values.wait && !values.output) return showAll(await request(taskPath(id)));
  await checkFile(values.output);
  await waitAndDownload(values, id);
}

/** @param {Values} _values @param {string} id */
export async function cancel(_values, id) {
  showAll(await request(`${taskPath(id)}/cancel`, { method: 'POST' }));
}

/** @param {Values} values */
export async function list({ json: _, metadata, ...values }) {
  const query = Object.entries(values).map(([name, value]) => [name.replace('-', '_'), `${value}`]);
  for (const [key, value] of Object.entries(parsePairs(metadata, '--metadata') ?? {})) {
    query.push([`metadata[${key}]`, value]);
  }
  const json = await request(`/v1/tasks?${new URLSearchParams(query)}`);
  const rows = json.items.map((/** @type {Task} */ task) => [
    ...[task.id, task.status, task.model, task.credits, task.billing_status],
    ...[new Date(task.created_at * 1000).toISOString(), task.failed_reason],
  ]);
  const head = ['ID', 'STATUS', 'MODEL', 'CREDITS', 'BILLING', 'CREATED', 'REASON'];
  show(json, () => table(rows, head));
  if (json.next_cursor) printStatus(`More: --cursor ${quoted(json.next_cursor)}`);
}

export async function models() {
  const json = await request('/v1/models');
  const rows = json.items.map((/** @type {Model} */ { id, duration: { min, max }, prices }) => {
    const rates = prices.map((price) => `${price.resolution} ${price.credits_per_second}`);
    return [id, `${min}-${max}`, rates.join(', ')];
  });
  show(json, () => table(rows, ['MODEL', 'SECONDS', 'CREDITS PER SECOND']));
}

export async function credits() {
  showAll(await request('/v1/credits'));
}
