/**
 * Compares a vendor's bill with what its attempts were expected to cost. The file is read as a
 * stream, in slices of one commit each, so that its length costs no memory.
 */
import { createHash, type Hash, randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { type ApiError, invalidRequest } from '@vidgen/contract/api-error.ts';
import { formatValue } from '@vidgen/contract/format-value.ts';
import {
  type BillKind,
  type BillRow as BillRowView,
  billKinds,
  VendorBillQuery,
  VendorBillReport,
} from '@vidgen/contract/margin.ts';
import { roundedHalfUp } from '@vidgen/contract/price.ts';
import type { z } from 'zod';
import { recordAudit } from '../../accounts/audit-log.ts';
import { sanitizeText } from '../../database/sanitize-text.ts';
import { raiseNotice } from '../../messages/notice.ts';
import { findTestOperations } from '../../providers/connected/test-store.ts';
import { inCurrency } from '../../providers/costs.ts';
import { operationBytesMax } from '../../providers/toolkit/response-values.ts';
import * as bills from '../../tasks/vendor-bills.ts';
import { readChunks } from '../files/receive-file.ts';
import { csvRows } from '../http/csv-rows.ts';
import { endpoint } from '../http/endpoint.ts';
import type { ApiRequest, ApiServices } from '../http/handler.ts';
import { fileResponse } from '../http/list-response.ts';
import { taskId } from '../http/samples.ts';
import { periodOf, unitsOf, unitsOrNull } from './margin.ts';

const sliceLines = 2000;
const linesMax = 5_000_000;
const firstRows = 100;

const noRows = { rows: 0, billed: 0, expected: 0, first: [] };
const rowSample = {
  kind: 'differs',
  line: 17,
  operation: 'op_7f3a',
  task_id: taskId,
  billed: 0.84,
  expected: 0.42,
};

const compareVendorBill = endpoint({
  operationId: 'compareVendorBill',
  method: 'POST',
  path: '/admin/vendor-bills',
  summary: 'Compare a vendor’s bill',
  description:
    'The body is the bill as CSV with a header. Each row is `matched`, `differs`, `not_ours`, or ' +
    '`twice` if its operation occurred before, also with this amount on another bill that was ' +
    'applied. The same file can be sent again: its rows match. ' +
    '`not_billed` are operations of the days that the bill covers, by default from its first to ' +
    'its last operation, which are expected to cost something. With `apply`, rows that matched ' +
    'or differ become the cost of their attempts. Amounts are compared with the decimals that ' +
    'the bill has.',
  auth: 'admin',
  sessionLimit: { purpose: 'vendor-bills', perMinute: 6 },
  query: VendorBillQuery,
  bodyType: 'text/csv',
  rawBody: true,
  streamBody: true,
  secondsMax: 600,
  responses: {
    200: {
      description: 'The report; with `format=csv` all of its rows.',
      schema: VendorBillReport,
      alsoCsv: true,
      examples: {
        report: [
          'One row differs',
          {
            currency: 'USD',
            applicable: 981,
            applied: 0,
            applied_before: 0,
            matched: { ...noRows, rows: 980, billed: 411.6, expected: 411.6 },
            differs: { rows: 1, billed: 0.84, expected: 0.42, first: [rowSample] },
            not_ours: noRows,
            not_billed: noRows,
            twice: noRows,
          },
        ],
      },
    },
  },
  errors: {
    invalid_request: 'The file has no column "id"; its columns are operation, amount.',
    rate_limited: true,
  },
  async handler(services, request) {
    const { query } = request;
    const bill = { billId: randomUUID(), provider: query.provider };
    const { db, providers } = services.lifecycle;
    if (!providers.has(bill.provider, null) && !(await bills.hasAttempts(db, bill.provider))) {
      throw invalidRequest(
        `provider must be one that there is or was (got ${formatValue(bill.provider)})`,
      );
    }
    // First, so that the limit of exports rejects nothing that was applied.
    const file = query.format && reportFile(services, request, bill);
    let isStreamed = false;
    try {
      const period = periodOf(query);
      const digest = await readBill(services, request, bill);
      const read = { ...bill, digest };
      const appliedBefore = await matchApplied(request, read);
      const billed = await bills.findBilledPeriod(db, bill);
      const { since = billed?.since, until = billed?.until } = period;
      if (since && until) await bills.addNotBilled(request.transaction, bill, { since, until });
      const applicable = await bills.countApplicable(db, read);
      const found = { applicable, applied: 0, applied_before: appliedBefore };
      let report = await reportOf(services, bill, found);
      // Before its costs are applied, which can break off.
      await tellDifferences(request, read, report);
      if (query.apply === 'true') {
        const applied = await applyBill(request, read);
        report = await reportOf(services, bill, { ...found, applied });
        await tellDifferences(request, read, report);
      }
      isStreamed = file !== undefined;
      return file ?? { body: report };
    } catch (error) {
      // Drains the rest: a client that is still sending would not read the error response.
      (request.body as Readable).resume();
      throw error;
    } finally {
      if (!isStreamed) await bills.deleteBill(db, bill);
    }
  },
});

type BillRequest = ApiRequest<unknown, z.infer<typeof VendorBillQuery>>;
type Bill = Parameters<typeof bills.sumBill>[1];
type ReadBill = Parameters<typeof bills.applyBillSlice>[1];

/** Returns the digest of the file. */
async function readBill(
  { lifecycle: { db, providers, settings } }: ApiServices,
  { body, query, transaction }: BillRequest,
  bill: Bill,
): Promise<string> {
  const { costs = {} } = providers.limitsOf(query.provider);
  const convert = (micros: bigint) => inCurrency(Number(micros), costs, settings.currency);
  let columns: Readonly<Record<BillColumn, number>> | null = null;
  let names: readonly string[] = [];
  let lines: Omit<bills.BillLine, 'isTest'>[] = [];
  const store = async () => {
    const operations = lines.map(({ operation }) => operation);
    const tests = await findTestOperations(db, bill.provider, operations);
    const stored = lines.map((line) => ({ ...line, isTest: tests.has(line.operation) }));
    lines = [];
    await transaction((tx) => bills.addBillLines(tx, bill, stored));
  };
  let count = 0;
  const hash = createHash('sha256');
  const chunks = hashed(readChunks(body as Readable), hash);
  for await (const { line, fields } of csvRows(chunks)) {
    if (columns === null) {
      names = fields.map((name) => name.trim());
      columns = {
        operation: columnIn(names, 'operation', query.operation),
        amount: columnIn(names, 'amount', query.amount),
      };
      requireCurrency(names[columns.amount]!, costs.currency ?? settings.currency);
      continue;
    }
    // A comma in an amount without quotes would cut it in two.
    if (fields.slice(names.length).some((field) => field.trim() !== '')) {
      throw invalidRequest(
        `Line ${line} has ${fields.length} fields, the header ${names.length}; put fields that ` +
          'contain the separator into quotes.',
      );
    }
    const operation = readOperation(fields[columns.operation] ?? '');
    // A total, or a row that is about no operation.
    if (operation === '') continue;
    const amount = readAmount(fields[columns.amount] ?? '', convert);
    if (amount === null) throw notAnAmount(line, fields[columns.amount]);
    if (++count > linesMax) throw tooManyLines();
    lines.push({ line, operation, ...amount });
    if (lines.length === sliceLines) await store();
  }
  if (columns === null) throw invalidRequest('The file is empty; send CSV.');
  if (count === 0) {
    const name = formatValue(names[columns.operation]);
    throw invalidRequest(`No row of the file has an operation in the column ${name}.`);
  }
  if (lines.length > 0) await store();
  return hash.digest('hex').slice(0, 16);
}

async function* hashed(chunks: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
}

/** As vendors name them. */
const usualColumns = {
  operation: /^(operation|request|task|prediction|job|generation)([ _-]?id)?$|^id$/i,
  amount: /^(amount|cost|total|price|usd)([ _-]?\(?(usd|eur)\)?)?$/i,
};
type BillColumn = keyof typeof usualColumns;

function columnIn(names: readonly string[], column: BillColumn, given: string | undefined): number {
  const usual = usualColumns[column];
  const isColumn = (name: string) => (given ? name === given.trim() : usual.test(name));
  const found = names.filter(isColumn);
  // A price of a second beside a total: only a person knows.
  if (found.length === 1) return names.indexOf(found[0]!);
  if (given && found.length > 1) {
    throw invalidRequest(`The file has several columns ${formatValue(given)}; rename all but one.`);
  }
  const listed = (some: readonly string[]) => some.slice(0, 10).map(formatValue).join(', ');
  const missing = given ? `no column ${formatValue(given)}` : `no usual column of the ${column}`;
  const problem =
    found.length > 1
      ? `several columns that can be the ${column}: ${listed(found)}`
      : `${missing}; its columns are ${listed(names)}`;
  throw invalidRequest(`The file has ${problem}. Name one with \`${column}\`.`);
}

/** Euros must not be taken for dollars. */
function requireCurrency(column: string, expected: string): void {
  const [, stated = expected] = /(?:^|[ _(-])(usd|eur)\)?$/i.exec(column) ?? [];
  if (stated.toUpperCase() === expected) return;
  throw invalidRequest(
    `The column ${formatValue(column)} is not in ${expected}; set currency and rate in the costs ` +
      'of the provider.',
  );
}

/** One that is longer than any that is kept is not ours. */
const readOperation = (text: string): string =>
  Buffer.from(sanitizeText(text.trim(), { lengthMax: operationBytesMax }))
    .subarray(0, operationBytesMax)
    .toString();

/** Bills that show cents only are compared in cents, those with more decimals in all of them. */
const decimalsMin = 2;
const microDecimals = 6;

/**
 * `$1234.56` in millionths; null if it is no amount that an operation can cost. A comma is
 * rejected: it is a decimal point in some countries and separates thousands in others.
 */
function readAmount(text: string, convert: (micros: bigint) => number | null) {
  const found = /^(-?)[$€£¥]?(\d{1,12})(?:\.(\d{1,20}))?$/.exec(text.trim());
  if (!found) return null;
  const [, sign, whole = '', decimals = ''] = found;
  const nanos = BigInt(whole + decimals.padEnd(9, '0').slice(0, 9));
  const micros = convert(roundedHalfUp(nanos, 1000n));
  const shown = Math.min(Math.max(decimals.length, decimalsMin), microDecimals);
  // Of six decimals, all are compared.
  const precision = shown === microDecimals ? 0n : BigInt(10 ** (microDecimals - shown));
  if (micros === null) return null;
  return { micros: sign === '-' ? -micros : micros, precisionMicros: convert(precision) ?? 0 };
}

/** Once for each file, however often it is sent. */
async function tellDifferences(
  { transaction }: BillRequest,
  { provider, digest }: ReadBill,
  report: VendorBillReport,
): Promise<void> {
  const { rows: differs } = report.differs;
  const { rows: twice } = report.twice;
  if (differs + twice === 0) return;
  const subject = `${provider} ${digest}`;
  const detail = { provider, differs, twice };
  await transaction((tx) =>
    raiseNotice(tx, { kind: 'bill_differs', accountId: null, subject, detail }),
  );
}

async function matchApplied({ transaction }: BillRequest, bill: ReadBill): Promise<number> {
  let matched = 0;
  let after: number | null = 0;
  while (after !== null) {
    const from: number = after;
    const slice = await transaction((tx) => bills.matchAppliedSlice(tx, bill, from));
    matched += slice?.matched ?? 0;
    after = slice?.last ?? null;
  }
  return matched;
}

async function applyBill(
  { actor, query, transaction }: BillRequest,
  bill: ReadBill,
): Promise<number> {
  const { provider: subject } = query;
  let applied = 0;
  let after: number | null = 0;
  while (after !== null) {
    const from: number = after;
    const slice = await transaction(async (tx) => {
      const done = await bills.applyBillSlice(tx, bill, { after: from });
      const { written = 0 } = done ?? {};
      // Of each slice, since a right can be lost between two.
      const detail = { bill: bill.digest, applied: written };
      if (written > 0) await recordAudit(tx, { actor, action: 'bill.apply', subject, detail });
      return done;
    });
    applied += slice?.written ?? 0;
    after = slice?.last ?? null;
  }
  return applied;
}

async function reportOf(
  { lifecycle: { db, settings } }: ApiServices,
  bill: Bill,
  counts: Pick<VendorBillReport, 'applicable' | 'applied' | 'applied_before'>,
): Promise<VendorBillReport> {
  const sums = new Map((await bills.sumBill(db, bill)).map((sum) => [sum.kind, sum]));
  const group = async (kind: BillKind) => {
    const { rows = 0, billedMicros = 0, expectedMicros = 0 } = sums.get(kind) ?? {};
    const first = await bills.readBillRows(db, bill, { after: 0, max: firstRows, kind });
    const amounts = { billed: unitsOf(billedMicros), expected: unitsOf(expectedMicros) };
    return { rows, ...amounts, first: first.map(rowView) };
  };
  const groups = await Promise.all(
    billKinds.map(async (kind) => [kind, await group(kind)] as const),
  );
  const byKind = Object.fromEntries(groups) as Record<BillKind, VendorBillReport['matched']>;
  return { currency: settings.currency, ...counts, ...byKind };
}

const rowView = (row: bills.BillRow): BillRowView => ({
  kind: row.kind,
  line: row.billedMicros === null ? null : row.line,
  operation: row.operation,
  task_id: row.taskId,
  billed: unitsOrNull(row.billedMicros),
  expected: unitsOrNull(row.expectedMicros),
});

/** The rows are deleted once the client has them all, or has left. */
function reportFile(services: ApiServices, request: BillRequest, bill: Bill) {
  const { db } = services.lifecycle;
  const names = ['kind', 'line', 'operation', 'task_id', 'billed', 'expected'] as const;
  const response = fileResponse<BillRowView>(services, request, {
    format: 'csv',
    columns: names.map((name) => [name, (row) => row[name]]),
    contentName: `bill-${bill.provider}`,
    async read(cursor) {
      const after = Number(cursor ?? 0);
      const rows = await bills.readBillRows(db, bill, { after, max: sliceLines });
      const isLast = rows.length < sliceLines;
      if (isLast) await bills.deleteBill(db, bill);
      return { items: rows.map(rowView), nextCursor: isLast ? null : String(rows.at(-1)!.line) };
    },
  });
  // What could not be deleted is deleted with a later bill.
  response.stream?.once('close', () => void bills.deleteBill(db, bill).catch(() => {}));
  return response;
}

const notAnAmount = (line: number, text = ''): ApiError =>
  invalidRequest(
    `Line ${line} has no amount up to 1000000 (got ${formatValue(text)}); write ` +
      'it like 1234.56, and set `costs.rate` of a provider that bills in another currency.',
  );

const tooManyLines = (): ApiError =>
  invalidRequest(
    `The file has more than ${linesMax} rows; send it in parts, with since and until.`,
  );

export const vendorBillEndpoints = [compareVendorBill];
