/** What a customer is told of a failure: what happened, the credits, and what to do. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureMessage, rejectedParts } from './failure-messages.ts';
import { failedReasons } from './task-status.ts';

const refunded = { billingStatus: 'refunded', refundOutcome: null } as const;
const parts = [...rejectedParts, null];

test('every reason and every refused part has a sentence of its own', () => {
  const messages = failedReasons.flatMap((reason) =>
    (reason === 'provider_rejected' ? parts : [null]).map((part) =>
      failureMessage({ reason, part, ...refunded }),
    ),
  );
  assert.equal(new Set(messages).size, failedReasons.length - 1 + parts.length);
  for (const message of messages) {
    assert.match(message, /Your credits were returned\./);
    assert.match(message, /[Cc]reate (the task|it) again/, 'it says what to do');
  }
});

test('refused content is never called a failure, nor input output', () => {
  const rejectionMessage = (part: (typeof parts)[number]) =>
    failureMessage({ reason: 'provider_rejected', part, ...refunded });
  for (const part of parts) assert.match(rejectionMessage(part), /refused|held back/);
  assert.match(rejectionMessage('prompt'), /refused the prompt/);
  assert.match(rejectionMessage('material'), /refused one of the referenced files/);
  assert.match(rejectionMessage('output'), /The video was made/);
  assert.doesNotMatch(rejectionMessage('input'), /The video was made/);
});

test('credits that are not back yet are not called returned', () => {
  const failure = { reason: 'timed_out', part: null, billingStatus: 'refund_failed' } as const;
  const waiting = failureMessage({ ...failure, refundOutcome: null });
  const writtenOff = failureMessage({ ...failure, refundOutcome: 'written_off' });
  assert.match(waiting, /could not be returned yet/);
  assert.match(writtenOff, /were not returned/);
});
