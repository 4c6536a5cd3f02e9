/**
 * `npm run reconcile -- bill.csv`: compares a vendor's bill with the service that the settings
 * describe, prints the report, and with `--apply` writes the bill's amounts as costs. Exits with 1
 * if a row differs, is not ours, is not billed or is billed twice.
 */
import { existsSync, openAsBlob, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const usage =
  'npm run reconcile -- bill.csv [--provider <name>] [--operation <column>] [--amount <column>]\n' +
  '  [--since <day>] [--until <day>] [--apply] [--url <address>]';
const kinds = ['matched', 'differs', 'not_ours', 'not_billed', 'twice'];

try {
  await reconcile();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 2;
}

async function reconcile() {
  const text = /** @type {const} */ ({ type: 'string' });
  const flag = /** @type {const} */ ({ type: 'boolean' });
  const columns = { provider: text, operation: text, amount: text };
  const options = { ...columns, since: text, until: text, url: text, apply: flag };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [file] = positionals;
  if (file === undefined || positionals.length > 1) throw new Error(`Usage: ${usage}`);
  const { HOST = '127.0.0.1', PORT = '8787', VIDGEN_PUBLIC_URL } = process.env;
  const { url = VIDGEN_PUBLIC_URL ?? `http://${HOST}:${PORT}`, apply, ...rest } = values;
  const { provider = await onlyProvider(url), ...named } = rest;
  const query = new URLSearchParams({ provider, ...named, apply: String(apply ?? false) });
  say(`Comparing ${file} of ${provider} …`);
  const body = await openAsBlob(file, { type: 'text/csv' });
  const report = await call(`${url}/admin/vendor-bills?${query}`, { method: 'POST', body });
  print(report);
  if (kinds.some((kind) => kind !== 'matched' && report[kind].rows > 0)) process.exitCode = 1;
}

/** @param {string} url */
async function onlyProvider(url) {
  const { items } = await call(`${url}/admin/providers`, {});
  const own = items.filter((/** @type {{ source: string }} */ { source }) => source !== 'built-in');
  if (own.length === 1) return own[0].name;
  throw new Error(`Name the provider with --provider.\nUsage: ${usage}`);
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
  const home = process.env.VIDGEN_HOME ?? join(import.meta.dirname, '../.vidgen');
  const file = join(home, 'admin-token');
  const token = process.env.VIDGEN_ADMIN_TOKEN ?? (existsSync(file) && readFileSync(file, 'utf8'));
  if (token) return token.trim();
  throw new Error(`Set VIDGEN_ADMIN_TOKEN; there is no ${file}.`);
}

/** @param {any} report */
function print(report) {
  for (const kind of kinds) {
    const { rows, billed, expected, first } = report[kind];
    const sums = `billed ${billed}, expected ${expected} ${report.currency}`;
    say(`${kind.padEnd(10)} ${String(rows).padStart(9)}   ${sums}`);
    const shown = kind === 'matched' ? [] : first;
    for (const row of shown) {
      const amounts = `billed ${row.billed ?? '–'}, expected ${row.expected ?? '–'}`;
      const task = row.task_id ?? 'no task';
      say(`  line ${row.line ?? '–'}  ${row.operation}  ${task}  ${amounts}`);
    }
    if (rows > shown.length && shown.length > 0) say('  …');
  }
  say(`${report.applied} costs written, ${report.applied_before} by this file before`);
}

/** A bill can have characters that a terminal obeys. @param {string} line */
function say(line) {
  process.stdout.write(`${line.replaceAll(/\p{C}/gu, '?')}\n`);
}
