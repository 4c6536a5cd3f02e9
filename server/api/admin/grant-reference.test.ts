/** A reference of a grant is booked once, and with one amount. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { startService } from '../../../proof/kit/service.ts';

let service: Awaited<ReturnType<typeof startService>>;
before(async () => {
  service = await startService({ environment: { VIDGEN_ROLE: 'api' } });
});
after(() => service.close());

test('rejects a reference that was booked with another amount, also concurrently', async () => {
  const { id } = await service.account();
  const grant = (amount: number) =>
    service.admin.post(`/admin/accounts/${id}/credits`, {
      amount,
      mode: 'live',
      note: 'Invoice 17',
      reference: 'inv_17',
    });
  const responses = await Promise.all([grant(10), grant(20)]);
  const booked = responses.find(({ status }) => status === 201)!;
  const rejected = responses.find(({ status }) => status !== 201)!;
  const { amount } = booked.body as { amount: number };
  assert.match(
    assertApiError(rejected, 'invalid_request').message,
    /^The reference was booked with/,
  );
  const repeated = await grant(amount);
  assert.deepEqual([repeated.status, repeated.body.id], [201, booked.body.id]);
  assertApiError(await grant(amount + 1), 'invalid_request');
});
