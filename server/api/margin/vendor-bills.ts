/**
 * Compares a vendor's bill with what its attempts were expected to cost. The file is read as a
 * stream, in slices of one commit each, so that its length costs no memory.
 */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { ApiError } from '@vidgen/contract/api-error.ts';
import {
  type BillKind,
  type BillRow as BillRowView,
  billKinds,
  VendorBillQuery,
  VendorBillReport,
} from '@vidgen/contract/margin.ts';
import { microsPerUnit, roundedHalfUp } from '@vidgen/contract/price.ts';
import type { z } from 'zod';
import { recordAudit } from '../../accounts/audit-log.ts';
import { raiseNotice } from '../../messages/notice.ts';
import * as bills from '../../tasks/vendor-bills.ts';
import { readChunks } from '../files/receive-file.ts';
import { csvLine } from '../http/csv.ts';
import { csvRows } from '../http/csv-rows.ts';
import { endpoint } from '../http/endpoint.ts';
import type { ApiRequest, ApiServices } from '../http/handler.ts';
import { attachmentHeaders } from '../http/list-response.ts';
import { taskId } from '../http/samples.ts';
import { unitsOf, unitsOrNull } from './margin.ts';

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
    'The body is the bill as CSV with a header; `operation` and `amount` name its columns. Each ' +
    'row is `matched`, `differs`, `not_ours`, or `twice` if its operation occurred before. ' +
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
            applied: 0,
            matched: { ...noRows, rows: 980, billed: 411.6, expected: 411.6 },
            differs: { rows: 1, billed: 0.84, expected: 0.42, first: [rowSample] },
            ...{ not_ours: noRows, not_billed: noRows, twice: noRows },
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
    const { db } = services.lifecycle;
    try {
      await readBill(request, bill);
      await findMissing(services, request, bill);
      const applied = query.apply === 'true' ? await applyBill(request, bill) : 0;
      const report = await reportOf(services, bill, applied);
      if (report.differs.rows + report.twice.rows > 0) await noticeDifferences(request, report);
      if (query.format !== 'csv') return { body: report };
    } catch (error) {
      // Drains the rest: a client that is still sending would not read the error response.
      (request.body as Readable).resume();
      await bills.deleteBill(db, bill);
      throw error;
    } finally {
      if (query.format !== 'csv') await bills.deleteBill(db, bill);
    }
    const contentName = `bill-${query.provider}`;
    return {
      stream: Readable.from(reportLines(services, bill), { objectMode: false }),
      headers: attachmentHeaders({ contentName, format: 'csv', type: 'text/csv; charset=utf-8' }),
    };
  },
});

type BillRequest = ApiRequest<unknown, z.infer<typeof VendorBillQuery>>;
type Bill = Parameters<typeof bills.sumBill>[1];

async function readBill({ body, query, transaction }: BillRequest, bill: Bill): Promise<void> {
  let columns: { readonly operation: number; readonly amount: number } | null = null;
  let lines: bills.BillLine[] = [];
  const store = async () => {
    const stored = lines;
    lines = [];
    await transaction((tx) => bills.addBillLines(tx, bill, stored));
  };
  let count = 0;
  for await (const { line, fields } of csvRows(readChunks(body as Readable))) {
    if (columns === null) {
      columns = columnsIn(fields, query);
      continue;
    }
    const operation = fields[columns.operation]?.trim() ?? '';
    // A total, or a row that is about no operation.
    if (operation === '') continue;
    const amount = readAmount(fields[columns.amount] ?? '', query.rate);
    if (amount === null) throw notAnAmount(line, query.amount, fields[columns.amount]);
    if (++count > linesMax) throw tooManyLines();
    lines.push({ line, operation: operation.slice(0, 1024), ...amount });
    if (lines.length === sliceLines) await store();
  }
  if (columns === null) throw new ApiError('invalid_request', 'The file is empty; send CSV.');
  if (lines.length > 0) await store();
}

function columnsIn(header: readonly string[], query: BillRequest['query']) {
  const names = header.map((name) => name.replace(/^\ufeff/, '').trim());
  const find = (name: string) => {
    const at = names.indexOf(name.trim());
    if (at >= 0) return at;
    const known = names.slice(0, 20).join(', ').slice(0, 500);
    throw new ApiError(
      'invalid_request',
      `The file has no column ${JSON.stringify(name)}; its columns are ${known}.`,
    );
  };
  return { operation: find(query.operation), amount: find(query.amount) };
}

/** Bills that show cents only are compared in cents, those with more decimals in all of them. */
const decimalsMin = 2;
const microDecimals = 6;

/** `$1,234.56` in millionths; null if it is no amount. */
function readAmount(text: string, rate: string | undefined) {
  const found = /^(-?)[$€£¥]?(\d{1,12}|\d{1,3}(?:,\d{3}){1,3})(?:\.(\d{1,20}))?$/.exec(text.trim());
  if (!found) return null;
  const [, sign, whole = '', decimals = ''] = found;
  const nanos = BigInt(whole.replaceAll(',', '') + decimals.padEnd(9, '0').slice(0, 9));
  const shown = Math.min(Math.max(decimals.length, decimalsMin), microDecimals);
  const micros = atRate(roundedHalfUp(nanos, 1000n), rate);
  return {
    micros: Number(sign === '-' ? -micros : micros),
    // Of six decimals, all are compared.
    precisionMicros:
      shown === microDecimals ? 0 : Number(atRate(BigInt(10 ** (microDecimals - shown)), rate)),
  };
}

function atRate(micros: bigint, rate: string | undefined): bigint {
  if (rate === undefined) return micros;
  const perUnit = BigInt(Math.round(Number(rate) * microsPerUnit));
  return roundedHalfUp(micros * perUnit, BigInt(microsPerUnit));
}

const dayMs = 86_400_000;

async function findMissing(
  { lifecycle: { db } }: ApiServices,
  { query, transaction }: BillRequest,
  bill: Bill,
): Promise<void> {
  const { since, until } = query;
  const billed = await bills.findBilledPeriod(db, bill);
  const first = since === undefined ? billed?.since : new Date(since);
  const end = until === undefined ? billed?.until : new Date(Date.parse(until) + dayMs);
  if (first && end) await bills.addNotBilled(transaction, bill, { since: first, until: end });
}

async function applyBill({ actor, query, transaction }: BillRequest, bill: Bill): Promise<number> {
  let applied = 0;
  let after: number | null = 0;
  while (after !== null) {
    const from: number = after;
    const slice = await transaction((tx) => bills.applyBillSlice(tx, bill, from));
    applied += slice?.rows ?? 0;
    after = slice?.last ?? null;
  }
  const detail = { bill: bill.billId, applied, rate: query.rate };
  await transaction((tx) =>
    recordAudit(tx, { actor, action: 'bill.apply', subject: query.provider, detail }),
  );
  return applied;
}

async function reportOf(
  { lifecycle: { db, settings } }: ApiServices,
  bill: Bill,
  applied: number,
): Promise<VendorBillReport> {
  const sums = new Map((await bills.sumBill(db, bill)).map((sum) => [sum.kind, sum]));
  const groups = billKinds.map(async (kind) => {
    const { rows = 0, billedMicros = 0, expectedMicros = 0 } = sums.get(kind) ?? {};
    const first = await bills.readBillRows(db, bill, { after: 0, max: firstRows, kind });
    const amounts = { billed: unitsOf(billedMicros), expected: unitsOf(expectedMicros) };
    return [kind, { rows, ...amounts, first: first.map(rowView) }] as const;
  });
  const byKind = Object.fromEntries(await Promise.all(groups)) as Record<
    BillKind,
    VendorBillReport['matched']
  >;
  return { currency: settings.currency, applied, ...byKind };
}

const rowView = (row: bills.BillRow): BillRowView => ({
  kind: row.kind,
  line: row.billedMicros === null ? null : row.line,
  operation: row.operation,
  task_id: row.taskId,
  billed: unitsOrNull(row.billedMicros),
  expected: unitsOrNull(row.expectedMicros),
});

async function noticeDifferences(
  { query: { provider }, transaction }: BillRequest,
  { differs, twice }: VendorBillReport,
): Promise<void> {
  const detail = { provider, differs: differs.rows, twice: twice.rows };
  await transaction(async (tx) => {
    await raiseNotice(tx, { kind: 'bill_differs', accountId: null, subject: provider, detail });
  });
}

/** The rows are gone once the client has them all, or has left. */
async function* reportLines({ lifecycle: { db } }: ApiServices, bill: Bill) {
  const names = ['kind', 'line', 'operation', 'task_id', 'billed', 'expected'] as const;
  try {
    let lines = csvLine(names);
    for (let after = 0; ; ) {
      const rows = await bills.readBillRows(db, bill, { after, max: sliceLines });
      const views = rows.map(rowView);
      lines += views.map((row) => csvLine(names.map((name) => row[name]))).join('');
      if (lines !== '') yield lines;
      lines = '';
      if (rows.length < sliceLines) return;
      after = rows.at(-1)!.line;
    }
  } finally {
    await bills.deleteBill(db, bill);
  }
}

const notAnAmount = (line: number, column: string, text: string | undefined): ApiError =>
  new ApiError(
    'invalid_request',
    `Line ${line} has no amount in ${JSON.stringify(column)} (got ` +
      `${JSON.stringify((text ?? '').slice(0, 50))}); write it like 1234.56.`,
  );

const tooManyLines = (): ApiError =>
  new ApiError(
    'invalid_request',
    `The file has more than ${linesMax} rows; send it in parts, with since and until.`,
  );

export const vendorBillEndpoints = [compareVendorBill];
