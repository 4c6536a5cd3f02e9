/** What a customer is told of a failure: what happened, the credits, and what to do. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureSentence, refusedParts } from './failure-sentences.ts';
import { failedReasons } from './task-status.ts';

const refunded = { billingStatus: 'refunded', refundOutcome: null } as const;
const parts = [...refusedParts, null];

test('every reason and every refused part has a sentence of its own', () => {
  const sentences = failedReasons.flatMap((reason) =>
    (reason === 'provider_rejected' ? parts : [null]).map((part) =>
      failureSentence({ reason, part, ...refunded }),
    ),
  );
  assert.equal(new Set(sentences).size, failedReasons.length - 1 + parts.length);
  for (const sentence of sentences) {
    assert.match(sentence, /Your credits were returned\./);
    assert.match(sentence, /[Cc]reate (the task|it) again/, 'it says what to do');
  }
});

test('refused content is never called a failure, nor input output', () => {
  const told = (part: (typeof parts)[number]) =>
    failureSentence({ reason: 'provider_rejected', part, ...refunded });
  for (const part of parts) assert.match(told(part), /refused|held back/);
  assert.match(told('prompt'), /refused the prompt/);
  assert.match(told('material'), /refused one of the referenced files/);
  assert.match(told('output'), /The video was made/);
  assert.doesNotMatch(told('input'), /The video was made/);
});

test('credits that are not back yet are not called returned', () => {
  const failure = { reason: 'timed_out', part: null, billingStatus: 'refund_failed' } as const;
  const waiting = failureSentence({ ...failure, refundOutcome: null });
  const writtenOff = failureSentence({ ...failure, refundOutcome: 'written_off' });
  assert.match(waiting, /could not be returned yet/);
  assert.match(writtenOff, /were not returned/);
});
