/** Credits of an account: grants and corrections, each booked once, and the credit history. */
import {
  GrantCreditsRequest,
  LedgerEntry,
  type ListedLedgerEntry,
  ListLedgerQuery,
  ListLedgerResponse,
} from '@vidgen/contract/admin-accounts.ts';
import { type ApiError, invalidRequest } from '@vidgen/contract/api-error.ts';
import type { KeyMode } from '@vidgen/contract/models.ts';
import { getAccount } from '../../accounts/account.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { type Database, sqlState } from '../../database/database.ts';
import { cursorOf } from '../../database/page.ts';
import { type Entry, findGrant, getEntry, listEntries } from '../../ledger/entries.ts';
import { lockBalances } from '../../ledger/ledger.ts';
import { findPrompts } from '../../tasks/task-list.ts';
import { accountClosed } from '../accounts/account-response.ts';
import { type CsvColumn, fieldColumns } from '../http/csv.ts';
import { endpoint, jsonResponse } from '../http/endpoint.ts';
import { fileListDescription, listResponse } from '../http/list-response.ts';
import { accountId, createdAt } from '../http/samples.ts';
import { unixSeconds } from '../http/timestamps.ts';

export const entrySample = {
  id: '1042',
  account_id: accountId,
  mode: 'live',
  number: 3,
  kind: 'grant',
  source: 'outside',
  target: 'available',
  amount: 1000,
  balance_after: { available: 1000, reserved: 0, spent: 0, suspended: 0 },
  task_id: null,
  note: 'Invoice 2026-017',
  reference: 'inv_2026_017',
  created_at: createdAt,
};
const correctionSample = {
  ...entrySample,
  id: '1044',
  number: 5,
  kind: 'deduct',
  source: 'available',
  target: 'outside',
  amount: 400,
  note: 'Invoice 2026-017 was for 600',
  reference: null,
  balance_after: { available: 560, reserved: 40, spent: 0, suspended: 0 },
};

export const grantCredits = endpoint({
  operationId: 'grantCredits',
  method: 'POST',
  path: '/admin/accounts/:id/credits',
  summary: 'Grant credits',
  description:
    'A `reference` adds credits once: sending it again returns the first entry, and with another ' +
    'amount it is rejected. A negative `amount` corrects a grant: it takes at most what is ' +
    'available; credits that are reserved for tasks or spent stay.',
  auth: 'admin',
  requiresConfirmation: true,
  body: GrantCreditsRequest,
  requestExamples: {
    invoice: [
      'A paid invoice',
      { amount: 1000, mode: 'live', note: 'Invoice 2026-017', reference: 'inv_2026_017' },
    ],
    correction: [
      'Too much was granted',
      { amount: -400, mode: 'live', note: correctionSample.note },
    ],
  },
  responses: {
    201: jsonResponse('The entry in the ledger.', LedgerEntry, {
      grant: ['A grant', entrySample],
      correction: ['A correction', correctionSample],
    }),
  },
  errors: { invalid_request: 'amount must not be 0' },
  async handler({ lifecycle: { db, measurements } }, { params, body, actor, transaction }) {
    const { id: accountId } = await getAccount(db, params.id!);
    const { mode, note, reference = null } = body;
    const kind = body.amount < 0 ? 'deduct' : 'grant';
    const amount = Math.abs(body.amount);
    const balanceKey = { accountId, mode };
    const entry = await bookOnce(db, { ...balanceKey, kind, amount, reference }, async () => {
      const booked = await transaction(async (tx) => {
        const ledger = await lockBalances(tx, [balanceKey]);
        if (ledger.isClosed(balanceKey)) {
          throw accountClosed(`credits cannot be ${verbs[kind]}`);
        }
        const movement = { amount, note, reference };
        const moved =
          kind === 'grant'
            ? ledger.grant(balanceKey, movement)
            : ledger.deduct(balanceKey, movement);
        if ('available' in moved) throw tooMuch(body, moved.available);
        await ledger.flush();
        const detail = { amount, mode, note, reference };
        await recordAudit(tx, { actor, action: `credits.${kind}`, subject: accountId, detail });
        return await getEntry(tx, { ...balanceKey, number: moved.number });
      });
      measurements.countCredits(kind, mode, amount);
      return booked;
    });
    return { status: 201, body: entryView(entry) };
  },
});

const verbs = { grant: 'added', deduct: 'deducted' } as const;

const tooMuch = ({ amount, mode }: GrantCreditsRequest, available: number): ApiError =>
  invalidRequest(
    `amount must be at least ${-available || 0}, as ${available} ${mode} credits are available ` +
      `(got ${amount})`,
  );

type Booking = {
  readonly accountId: string;
  readonly mode: KeyMode;
  readonly kind: 'grant' | 'deduct';
  readonly amount: number;
  readonly reference: string | null;
};

/**
 * Returns the entry of `book`, or the one that has the reference, also when requests are sent
 * together. Throws `invalid_request` if that one is of another kind or amount.
 */
async function bookOnce(
  db: Database,
  booking: Booking,
  book: () => Promise<Entry>,
): Promise<Entry> {
  const { accountId, mode, reference } = booking;
  const findBooked = async () =>
    reference === null ? null : await findGrant(db, { accountId, mode, reference });
  const existing = await findBooked();
  if (existing) return requireSame(existing, booking);
  try {
    return await book();
  } catch (error) {
    // A unique violation (23505): a concurrent request has booked the same reference.
    const concurrent = sqlState(error) === '23505' ? await findBooked() : null;
    if (!concurrent) throw error;
    return requireSame(concurrent, booking);
  }
}

function requireSame(entry: Entry, { kind, amount }: Booking): Entry {
  if (entry.kind === kind && entry.amount === amount) return entry;
  const what = entry.kind === kind ? '' : `as a ${entry.kind} `;
  throw invalidRequest(
    `The reference was booked ${what}with ${entry.amount} credits; use a new one for another ` +
      'amount.',
  );
}

const columns: readonly CsvColumn<ListedLedgerEntry>[] = [
  ...fieldColumns('number', 'created_at', 'mode', 'kind', 'amount', 'source', 'target'),
  ['available_after', ({ balance_after }) => balance_after.available],
  ['reserved_after', ({ balance_after }) => balance_after.reserved],
  ['spent_after', ({ balance_after }) => balance_after.spent],
  ['suspended_after', ({ balance_after }) => balance_after.suspended],
  ...fieldColumns('task_id', 'note', 'reference', 'id'),
];

const listLedger = endpoint({
  operationId: 'listLedger',
  method: 'GET',
  path: '/admin/accounts/:id/ledger',
  summary: 'List credit history',
  description: 'Each entry is one transfer, with the balances after it.',
  auth: 'member',
  role: 'viewer',
  query: ListLedgerQuery,
  responses: { 200: fileListDescription(ListLedgerResponse, { ...entrySample, prompt: null }) },
  errors: { rate_limited: true },
  async handler(services, request) {
    const { db } = services.lifecycle;
    const { id: accountId, name: accountName } = await getAccount(db, request.params.id!);
    const { mode, kind, task_id: taskId, by } = request.query;
    const filter = { accountId, mode, kind, taskId, latestOnly: by === 'task' };
    return await listResponse(services, request, {
      columns,
      contentName: 'credits',
      accountName,
      list: (counting, limit) => listEntries(counting, { ...filter, limit }),
      async read(page) {
        const { limit } = page;
        const cursor = cursorOf(page, /^\d{1,15}$/);
        const beforeId = cursor === null ? undefined : Number(cursor);
        const found = await listEntries(db, { ...filter, beforeId, limit: limit + 1 });
        const taskIds = found.flatMap((entry) => entry.taskId ?? []);
        const prompts = await findPrompts(db, taskIds);
        const items = found.slice(0, limit).map((entry) => ({
          ...entryView(entry),
          prompt: prompts.get(entry.taskId ?? '') ?? null,
        }));
        return { items, nextCursor: found.length > limit ? items.at(-1)!.id : null };
      },
    });
  },
});

export function entryView(entry: Entry): LedgerEntry {
  return {
    id: String(entry.id),
    account_id: entry.accountId,
    mode: entry.mode,
    number: entry.number,
    kind: entry.kind,
    source: entry.source as LedgerEntry['source'],
    target: entry.target as LedgerEntry['target'],
    amount: entry.amount,
    balance_after: entry.after,
    task_id: entry.taskId,
    note: entry.note,
    reference: entry.reference,
    created_at: unixSeconds(entry.createdAt),
  };
}

export const creditEndpoints = [grantCredits, listLedger];
