/**
 * `npm run reconcile -- bill.csv`: compares a vendor's bill with the service that the settings
 * describe, prints the report, and with `--apply` writes the bill's amounts as costs. Exits with 1
 * if a row differs, is not ours, is not billed or is billed twice.
 */
import { existsSync, openAsBlob, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const usage =
  'npm run reconcile -- bill.csv [--provider <name>] [--operation <column>] [--amount <column>]\n' +
  '  [--rate <number>] [--since <day>] [--until <day>] [--apply] [--url <address>]';
const root = join(import.meta.dirname, '..');
/** Columns as vendors name them, the first that a bill has. */
const usual = {
  operation: [
    'operation',
    'operation_id',
    'request_id',
    'task_id',
    'prediction_id',
    'job_id',
    'id',
  ],
  amount: ['amount', 'cost', 'amount_usd', 'cost_usd', 'usd', 'total', 'price'],
};
const kinds = ['matched', 'differs', 'not_ours', 'not_billed', 'twice'];

try {
  await reconcile();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 2;
}

async function reconcile() {
  const { values, positionals } = readArguments();
  const [file] = positionals;
  if (file === undefined || positionals.length > 1) throw new Error(`Usage: ${usage}`);
  const { HOST = '127.0.0.1', PORT = '8787' } = process.env;
  const url = values.url ?? process.env.VIDGEN_PUBLIC_URL ?? `http://${HOST}:${PORT}`;
  const { apply, url: _, ...options } = values;
  const query = new URLSearchParams({
    provider: options.provider ?? (await onlyProvider(url)),
    ...guessedColumns(file),
    ...options,
    apply: String(apply ?? false),
  });
  process.stdout.write(`Comparing ${file} of ${query.get('provider')} …\n`);
  const report = await call(`${url}/admin/vendor-bills?${query}`, {
    method: 'POST',
    body: await openAsBlob(file, { type: 'text/csv' }),
  });
  print(report);
  if (kinds.some((kind) => kind !== 'matched' && report[kind].rows > 0)) process.exitCode = 1;
}

function readArguments() {
  const text = /** @type {const} */ ({ type: 'string' });
  const flag = /** @type {const} */ ({ type: 'boolean' });
  const columns = { provider: text, operation: text, amount: text };
  const others = { rate: text, since: text, until: text, url: text, apply: flag };
  try {
    return parseArgs({ options: { ...columns, ...others }, allowPositionals: true });
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}\nUsage: ${usage}`);
  }
}

/** @param {string} url */
async function onlyProvider(url) {
  const { items } = await call(`${url}/admin/providers`, {});
  const own = items.filter((/** @type {{ source: string }} */ { source }) => source !== 'built-in');
  if (own.length === 1) return own[0].name;
  throw new Error(`Name the provider with --provider.\nUsage: ${usage}`);
}

/** @param {string} file */
function guessedColumns(file) {
  const head = Buffer.alloc(10_000);
  const read = readSync(openSync(file, 'r'), head);
  const [line = ''] = head.subarray(0, read).toString().split(/\r?\n/);
  const columns = line.split(/[,;\t]/).map((name) => name.replace(/^\ufeff|"/g, '').trim());
  const find = (/** @type {string[]} */ names) =>
    names.map((name) => columns.find((one) => one.toLowerCase() === name)).find(Boolean);
  const found = Object.entries(usual).map(([name, names]) => [name, find(names)]);
  return Object.fromEntries(found.filter(([, column]) => column !== undefined));
}

/**
 * @param {string} url
 * @param {RequestInit} init
 */
async function call(url, init) {
  const authorization = `Bearer ${adminToken()}`;
  const response = await fetch(url, { ...init, headers: { authorization } });
  const body = await response.json();
  if (!response.ok) throw new Error(body.error?.message ?? `HTTP ${response.status}`);
  return body;
}

function adminToken() {
  const home = process.env.VIDGEN_HOME ?? join(root, '.vidgen');
  const file = join(home, 'admin-token');
  const token = process.env.VIDGEN_ADMIN_TOKEN ?? (existsSync(file) && readFileSync(file, 'utf8'));
  if (token) return token.trim();
  throw new Error(`Set VIDGEN_ADMIN_TOKEN; there is no ${file}.`);
}

/** @param {any} report */
function print(report) {
  const money = (/** @type {number | null} */ amount) => (amount === null ? '–' : String(amount));
  const lines = kinds.flatMap((kind) => {
    const { rows, billed, expected, first } = report[kind];
    const sums = `billed ${money(billed)}, expected ${money(expected)} ${report.currency}`;
    const shown = kind === 'matched' ? [] : first;
    return [
      `${kind.padEnd(10)} ${String(rows).padStart(9)}   ${sums}`,
      ...shown.map((/** @type {any} */ row) => {
        const task = row.task_id ?? 'no task';
        const amounts = `billed ${money(row.billed)}, expected ${money(row.expected)}`;
        return `  line ${row.line ?? '–'}  ${row.operation}  ${task}  ${amounts}`;
      }),
      ...(rows > shown.length && shown.length > 0 ? ['  …'] : []),
    ];
  });
  process.stdout.write(`${lines.join('\n')}\n${report.applied} costs written\n`);
}
