/** A failure of another vidgen keeps its meaning in every format that it serves. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureMessage, rejectedParts } from '@vidgen/contract/failure-messages.ts';
import { failedReasons } from '@vidgen/contract/task-status.ts';
import { modelArkView } from '../../api/dialects/modelark/task-view.ts';
import { failedReasonOf } from '../../lifecycle/record-start.ts';
import type { Task } from '../../tasks/task.ts';
import { failureFor as modelArkFailure } from '../modelark/errors.ts';
import { readTask } from '../modelark/wire.ts';
import { failureFor as openAiFailure } from '../openai-videos/errors.ts';

const materials = { materials: true };

for (const reason of failedReasons) {
  const parts = reason === 'provider_rejected' ? [...rejectedParts, null] : [null];
  for (const part of parts) {
    const meant = {
      failed: ['cancelled', 'internal_error'].includes(reason) ? 'provider_failed' : reason,
      part: part ?? undefined,
    };
    const told = (failure: Parameters<typeof failedReasonOf>[0]) => ({
      failed: failedReasonOf(failure),
      part: failure.rejectedPart,
    });
    const refund = { billingStatus: 'refunded', refundOutcome: null } as const;
    const message = failureMessage({ reason, part, ...refund });

    test(`reads ${reason} ${part ?? ''} in the formats of OpenAI and OpenRouter`, () => {
      for (const code of [reason, '']) {
        assert.deepEqual(told(openAiFailure({ code, message, field: '' }, materials)), meant);
      }
    });

    test(`reads ${reason} ${part ?? ''} in the format of ModelArk`, () => {
      const failure = { failedReason: reason, rejectedPart: part, ...refund };
      const task = { status: 'failed', createdAt: new Date(), ...failure } as Task;
      const { status, error } = readTask(modelArkView(task, () => ''))!;
      if (status === 'failed') assert.deepEqual(told(modelArkFailure(error)), meant);
      else assert.equal(status, { timed_out: 'expired' }[reason as string] ?? reason);
    });
  }
}
