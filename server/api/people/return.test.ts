/** A closed person who is invited again. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SessionResponse } from '@vidgen/contract/people.ts';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import {
  followLink,
  newMember,
  openBrowserSession,
  testPassword,
} from '../../../proof/kit/people.ts';
import { startService } from '../../../proof/kit/service.ts';

let service: Awaited<ReturnType<typeof startService>>;
before(async () => {
  service = await startService({ environment: { VIDGEN_ROLE: 'api' } });
});
after(() => service.close());

test('returns under the same email address as a new person, without old rights', async () => {
  const [old, other] = [await service.account(), await service.account()];
  const former = await newMember(service, { accountId: old.id, role: 'owner' });
  await service.admin.post(`/admin/people/${former.personId}/close`);
  const path = `/admin/accounts/${other.id}/invitations`;
  const { body } = await service.admin.post(path, { role: 'viewer' });
  const { email } = former;
  const returned = await followLink(service.url, String(body.link), { email });
  assert.notEqual(returned.personId, former.personId);
  const { accounts } = SessionResponse.parse((await returned.get('/session')).body);
  assert.deepEqual(
    accounts.map(({ id, role }) => [id, role]),
    [[other.id, 'viewer']],
  );
  assertApiError(await former.get('/session'), 'invalid_api_key');
  const again = openBrowserSession(service.url);
  assert.equal((await again.post('/session', { email, password: testPassword })).status, 201);
});
