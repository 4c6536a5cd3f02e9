/** A key that is revoked while a status request waits. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { textToVideo } from '../../../proof/kit/journey.ts';
import { startService } from '../../../proof/kit/service.ts';

let service: Awaited<ReturnType<typeof startService>>;
before(async () => {
  service = await startService({ environment: { VIDGEN_ROLE: 'api' } });
});
after(() => service.close());

/** An account with a task that stays queued. */
async function startWaiter() {
  const account = await service.account({ live: 100 });
  const { body } = await account.client.create(textToVideo);
  const read = (seconds: number) => account.client.get(`/v1/tasks/${body.taskId}?wait=${seconds}`);
  return { ...account, read };
}

/**
 * The response to `?wait=30` when `revoke` runs meanwhile. It must come before that of another
 * account, which waits for `seconds` from then: both are as slow as the machine is.
 */
async function waitDuring(
  seconds: number,
  revoke: (account: { id: string; keyId: string }) => Promise<unknown>,
) {
  const [revoked, other] = [await startWaiter(), await startWaiter()];
  const answered: string[] = [];
  const note = (who: string) => () => void answered.push(who);
  const arrived = once(service.parts.api!.server, 'request');
  const waiting = revoked.read(30);
  void waiting.then(note('revoked'));
  await arrived;
  await other.read(0);
  assert.deepEqual(answered, []);
  await revoke(revoked);
  const later = other.read(seconds).then(note('other'));
  await Promise.race([waiting, later]);
  assert.deepEqual(answered, ['revoked']);
  await later;
  return await waiting;
}

test('is answered 401 at once when the key is revoked', async () => {
  const response = await waitDuring(1, ({ keyId }) =>
    service.admin.send('DELETE', `/admin/keys/${keyId}`),
  );
  assertApiError(response, 'invalid_api_key');
});

test('is answered 401 at once when the account is closed', async () => {
  const response = await waitDuring(1, ({ id }) =>
    service.admin.post(`/admin/accounts/${id}/close`),
  );
  assertApiError(response, 'invalid_api_key');
});

test('is answered some seconds later without a notification', async () => {
  const response = await waitDuring(8, ({ keyId }) =>
    service.db.query('update api_keys set revoked_at = now() where id = $1', [keyId]),
  );
  assertApiError(response, 'invalid_api_key');
});
