/**
 * Takes back available credits, to correct a grant. Never more than is available, and once per
 * `reference`: a repeated request returns the same entry.
 */
import { DeductCreditsRequest } from '@vidgen/contract/account-controls.ts';
import { LedgerEntry } from '@vidgen/contract/admin-accounts.ts';
import { ApiError } from '@vidgen/contract/api-error.ts';
import { getAccount } from '../../accounts/account.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseBody } from '../http/parse-request.ts';
import { bookDeduction } from './book-deduction.ts';
import { ledgerEntry } from './samples.ts';

export const deduction = {
  ...ledgerEntry,
  ...{ id: '1044', number: 5, kind: 'deduct', source: 'available', target: 'outside', amount: 400 },
  ...{ note: 'Invoice 2026-017 was for 600', reference: null },
  balance_after: { available: 560, reserved: 40, spent: 0, suspended: 0 },
};

export const deductCredits = endpoint({
  parsesItself: true,
  operationId: 'deductCredits',
  method: 'POST',
  path: '/admin/accounts/:id/deductions',
  summary: 'Deduct credits',
  description:
    'Corrects a grant. Takes at most what is available: credits that are reserved for tasks or ' +
    'spent stay. A `reference` is booked once, as with grants.',
  auth: 'admin',
  requiresConfirmation: true,
  body: DeductCreditsRequest,
  requestExamples: {
    correction: ['Too much was granted', { amount: 400, mode: 'live', note: deduction.note }],
  },
  responses: {
    201: {
      description: 'The entry in the ledger.',
      schema: LedgerEntry,
      examples: { deduction: ['A deduction', deduction] },
    },
  },
  errors: {
    invalid_request: 'amount must be at most 560, the live credits that are available (got 900)',
  },
  async handler(services, request) {
    const { id: accountId } = await getAccount(services.lifecycle.db, request.params.id!);
    const wanted = parseBody(DeductCreditsRequest, request.body);
    const tooMuch = (available: number) => tooMuchError(wanted, available);
    return await bookDeduction(services, request, { ...wanted, accountId, tooMuch });
  },
});

const tooMuchError = ({ amount, mode }: DeductCreditsRequest, available: number): ApiError =>
  new ApiError(
    'invalid_request',
    `amount must be at most ${available}, the ${mode} credits that are available (got ${amount})`,
  );
