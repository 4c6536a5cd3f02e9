/** Books an entry of the ledger once per reference, also when requests are sent together. */

import { ApiError } from '@vidgen/contract/api-error.ts';
import type { KeyMode } from '@vidgen/contract/models.ts';
import { type Database, sqlState } from '../../database/database.ts';
import { type Entry, findGrant } from '../../ledger/entries.ts';
import type { EntryKind } from '../../ledger/ledger.ts';
import type { ApiResponse } from '../http/handler.ts';
import { entryView } from './views.ts';

type Booking = {
  readonly accountId: string;
  readonly mode: KeyMode;
  readonly kind: EntryKind;
  readonly amount: number;
  readonly reference: string | null;
};

/**
 * Responds with the entry of `book`, or with the one that has the reference. Throws
 * `invalid_request` if that one is of another kind or amount.
 */
export async function bookOnce(
  db: Database,
  booking: Booking,
  book: () => Promise<Entry>,
): Promise<ApiResponse> {
  const { accountId, mode, reference } = booking;
  const findBooked = async () =>
    reference === null ? null : await findGrant(db, { accountId, mode, reference });
  const existing = await findBooked();
  if (existing) return bookedBefore(existing, booking);
  try {
    return { status: 201, body: entryView(await book()) };
  } catch (error) {
    // A unique violation (23505): a concurrent request has booked the same reference.
    const concurrent = sqlState(error) === '23505' ? await findBooked() : null;
    if (!concurrent) throw error;
    return bookedBefore(concurrent, booking);
  }
}

function bookedBefore(entry: Entry, { kind, amount }: Booking): ApiResponse {
  if (entry.kind === kind && entry.amount === amount) {
    return { status: 201, body: entryView(entry) };
  }
  const what = entry.kind === kind ? '' : `as a ${entry.kind} `;
  throw new ApiError(
    'invalid_request',
    `The reference was booked ${what}with ${entry.amount} credits; use a new one for another ` +
      'amount.',
  );
}
