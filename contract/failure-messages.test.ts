/** What a customer sees of a failure: what happened, the credits, and what to do. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureMessage, rejectedParts } from './failure-messages.ts';
import { failedReasons } from './task-status.ts';

const refunded = { billingStatus: 'refunded', refundOutcome: null } as const;
const parts = [...rejectedParts, null];

test('every reason and every rejected part has its own message', () => {
  const messages = failedReasons.flatMap((reason) =>
    (reason === 'provider_rejected' ? parts : [null]).map((part) =>
      failureMessage({ reason, part, ...refunded }),
    ),
  );
  assert.equal(new Set(messages).size, failedReasons.length - 1 + parts.length);
  for (const message of messages) {
    assert.match(message, /Your credits were refunded\./);
    assert.match(message, /[Tt]ry again|Create a new task/, 'it says what to do');
  }
});

test('rejected content is never called a failure, and input is never called output', () => {
  const rejectionMessage = (part: (typeof parts)[number]) =>
    failureMessage({ reason: 'provider_rejected', part, ...refunded });
  for (const part of parts) assert.match(rejectionMessage(part), /rejected|blocked/);
  assert.match(rejectionMessage('prompt'), /rejected the prompt/);
  assert.match(rejectionMessage('material'), /rejected one of your files/);
  assert.match(rejectionMessage('output'), /The video was generated/);
  assert.doesNotMatch(rejectionMessage('input'), /The video was generated/);
});

test('credits that are not refunded yet are not called refunded', () => {
  const failure = { reason: 'timed_out', part: null, billingStatus: 'refund_failed' } as const;
  const waiting = failureMessage({ ...failure, refundOutcome: null });
  const writtenOff = failureMessage({ ...failure, refundOutcome: 'written_off' });
  assert.match(waiting, /needs manual review/);
  assert.match(writtenOff, /weren’t refunded/);
});
