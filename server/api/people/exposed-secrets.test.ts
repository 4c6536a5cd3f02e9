/** What former members of an account still know is listed to its owner until it is revoked. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ListExposedSecretsResponse } from '@vidgen/contract/people.ts';
import { type Guest, newMember } from '../../../proof/kit/people.ts';
import { startService } from '../../../proof/kit/service.ts';

let service: Awaited<ReturnType<typeof startService>>;
before(async () => {
  service = await startService({ environment: { VIDGEN_ROLE: 'api' } });
});
after(() => service.close());

async function newTeam() {
  const { id } = await service.account();
  const member = (role: 'owner' | 'developer' | 'viewer') =>
    newMember(service, { accountId: id, role });
  const path = `/admin/accounts/${id}`;
  const owner = await member('owner');
  const listed = async () => {
    const { status, body } = await owner.get(`${path}/exposed-secrets`);
    assert.equal(status, 200, JSON.stringify(body));
    return ListExposedSecretsResponse.parse(body).items.map((item) => ({
      secret: item.kind === 'api_key' ? item.key_name : item.kind,
      id: item.id,
      people: item.people,
    }));
  };
  return { path, owner, member, listed };
}

const newKey = async (person: Guest, path: string, name: string) =>
  String((await person.post(`${path}/keys`, { name, mode: 'live' })).body.id);

test('keys and the secret of a removed member, until they are revoked and rotated', async () => {
  const { path, owner, member, listed } = await newTeam();
  const developer = await member('developer');
  await newKey(owner, path, 'Of the owner');
  const keyId = await newKey(developer, path, 'Of the developer');
  const revoked = await newKey(developer, path, 'Revoked');
  await owner.send('DELETE', `/admin/keys/${revoked}`);
  assert.deepEqual(await listed(), []);
  await owner.send('DELETE', `${path}/members/${developer.personId}`);
  const people = [developer.email];
  assert.deepEqual(await listed(), [
    { secret: 'Of the developer', id: keyId, people },
    { secret: 'webhook_secret', id: 'webhook_secret', people },
  ]);
  assert.equal((await owner.send('DELETE', `/admin/keys/${keyId}`)).status, 204);
  const rotated = await owner.post(`${path}/webhook-secret`, { keep_previous_seconds: 0 });
  assert.equal(rotated.status, 200);
  assert.deepEqual(await listed(), []);
});

test('also of a member who became a viewer, and of a closed person', async () => {
  const { path, owner, member, listed } = await newTeam();
  const [demoted, closed] = [await member('owner'), await member('developer')];
  await newKey(demoted, path, 'Of the demoted');
  await newKey(closed, path, 'Of the closed');
  await owner.post(`${path}/members/${demoted.personId}`, { role: 'viewer' });
  await service.admin.post(`/admin/people/${closed.personId}/close`);
  const items = await listed();
  assert.deepEqual(
    items.map(({ secret }) => secret),
    ['Of the closed', 'Of the demoted', 'webhook_secret'],
  );
  assert.deepEqual(items[2]!.people, [demoted.email, closed.email].toSorted());
});

test('nothing of a viewer, and nothing of a member who is back', async () => {
  const { path, owner, member, listed } = await newTeam();
  const [viewer, developer] = [await member('viewer'), await member('developer')];
  await newKey(developer, path, 'Of the developer');
  await owner.send('DELETE', `${path}/members/${viewer.personId}`);
  await owner.post(`${path}/members/${developer.personId}`, { role: 'viewer' });
  await owner.post(`${path}/members/${developer.personId}`, { role: 'developer' });
  assert.deepEqual(await listed(), []);
});
