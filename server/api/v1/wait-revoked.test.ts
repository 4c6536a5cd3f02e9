/** A key that is revoked while a status request waits. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { textToVideo } from '../../../proof/kit/journey.ts';
import { startService } from '../../../proof/kit/service.ts';
import { monotonicMs } from '../../clock.ts';

let service: Awaited<ReturnType<typeof startService>>;
before(async () => {
  service = await startService({ environment: { VIDGEN_ROLE: 'api' } });
});
after(() => service.close());

/** The response to `?wait=30` when `revoke` runs meanwhile, and how long it took from then. */
async function waitDuring(revoke: (account: { id: string; keyId: string }) => Promise<unknown>) {
  const account = await service.account({ live: 100 });
  const { body } = await account.client.create(textToVideo);
  const waiting = account.client.get(`/v1/tasks/${body.taskId as string}?wait=30`);
  let isAnswered = false;
  void waiting.then(() => {
    isAnswered = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.equal(isAnswered, false);
  await revoke(account);
  const startedMs = monotonicMs();
  const response = await waiting;
  return { response, ms: monotonicMs() - startedMs };
}

test('is answered 401 at once when the key is revoked', async () => {
  const { response, ms } = await waitDuring(({ keyId }) =>
    service.admin.send('DELETE', `/admin/keys/${keyId}`),
  );
  assertApiError(response, 'invalid_api_key');
  assert.ok(ms < 1500, `${Math.round(ms)} ms`);
});

test('is answered 401 at once when the account is closed', async () => {
  const { response, ms } = await waitDuring(({ id }) =>
    service.admin.post(`/admin/accounts/${id}/close`),
  );
  assertApiError(response, 'invalid_api_key');
  assert.ok(ms < 1500, `${Math.round(ms)} ms`);
});

test('is answered within 8 seconds without a notification', async () => {
  const { response, ms } = await waitDuring(({ keyId }) =>
    service.db.query('update api_keys set revoked_at = now() where id = $1', [keyId]),
  );
  assertApiError(response, 'invalid_api_key');
  assert.ok(ms < 8000, `${Math.round(ms)} ms`);
});
