/** Members, invitations and people over HTTP: who may change whom, and what ends with it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type AccountRole,
  CreatedInvitation,
  ListedPerson,
  ListInvitationsResponse,
  ListPeopleResponse,
} from '@vidgen/contract/people.ts';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import {
  followLink,
  newAdministrator,
  newMember,
  openBrowserSession,
} from '../../../proof/kit/people.ts';
import { useService } from '../../../proof/kit/service.ts';

const service = await useService({ environment: { VIDGEN_ROLE: 'api' } });

async function accountWith<Role extends AccountRole>(...roles: readonly Role[]) {
  const { id } = await service.account();
  const members = [];
  for (const role of roles) members.push(await newMember(service, { accountId: id, role }));
  return { path: `/admin/accounts/${id}`, members };
}
const login = (email: string, password: string) =>
  openBrowserSession(service.url).post('/session', { email, password });

describe('members', () => {
  test('an owner changes and removes others, with immediate effect', async () => {
    const { path, members } = await accountWith('owner', 'viewer');
    const [owner, other] = members as [(typeof members)[0], (typeof members)[0]];
    const changed = await owner.post(`${path}/members/${other.personId}`, { role: 'developer' });
    assert.deepEqual([changed.status, changed.body.role], [200, 'developer']);
    assert.equal((await other.post(`${path}/webhook-secret`)).status, 200);
    assert.equal((await owner.send('DELETE', `${path}/members/${other.personId}`)).status, 204);
    assertApiError(await other.get(path), 'not_found');
    assertApiError(await owner.send('DELETE', `${path}/members/${other.personId}`), 'not_found');
  });

  test('the last owner cannot step down or leave, except by an administrator', async () => {
    const { path, members } = await accountWith('owner');
    const owner = members[0]!;
    const own = `${path}/members/${owner.personId}`;
    assertApiError(await owner.post(own, { role: 'viewer' }), 'invalid_request');
    assertApiError(await owner.send('DELETE', own), 'invalid_request');
    const administrator = await newAdministrator(service);
    assert.equal((await administrator.post(own, { role: 'viewer' })).status, 200);
    assert.equal((await administrator.send('DELETE', own)).status, 204);
  });

  test('a viewer does not see the webhook secret', async () => {
    const { path, members } = await accountWith('viewer', 'developer');
    const [viewer, developer] = members;
    assert.equal((await viewer!.get(path)).body.webhook_secret, null);
    assert.match(String((await developer!.get(path)).body.webhook_secret), /^whsec_/);
  });
});

describe('invitations', () => {
  test('are listed without their links until they are used or revoked', async () => {
    const { path, members } = await accountWith('owner');
    const owner = members[0]!;
    const invite = async () => {
      const { status, body } = await owner.post(`${path}/invitations`, { role: 'viewer' });
      assert.equal(status, 201);
      return CreatedInvitation.parse(body);
    };
    const open = async () => {
      const { body } = await owner.get(`${path}/invitations`);
      assert(!JSON.stringify(body).includes('#'));
      return ListInvitationsResponse.parse(body).items.map(({ id }) => id);
    };
    const first = await invite();
    const second = await invite();
    assert.equal(first.invited_by, owner.email);
    assert.deepEqual((await open()).toSorted(), [first.id, second.id].toSorted());
    await followLink(service.url, first.link);
    assert.deepEqual(await open(), [second.id]);
    const other = await accountWith('owner');
    const theirs = `${other.path}/invitations/${second.id}`;
    assertApiError(await other.members[0]!.send('DELETE', theirs), 'not_found');
    assert.equal((await owner.send('DELETE', `${path}/invitations/${second.id}`)).status, 204);
    assert.deepEqual(await open(), []);
    const token = second.link.split('#')[1];
    assertApiError(
      await openBrowserSession(service.url).post('/links/look', { token }),
      'not_found',
    );
  });

  test('cannot be created for a closed account', async () => {
    const { path } = await accountWith();
    await service.admin.post(`${path}/close`);
    const response = await service.admin.post(`${path}/invitations`, { role: 'owner' });
    assertApiError(response, 'invalid_request');
  });
});

describe('people', () => {
  test('a closed person is signed out everywhere at once and cannot return', async () => {
    const { members } = await accountWith('owner');
    const person = members[0]!;
    const closed = await service.admin.post(`/admin/people/${person.personId}/close`);
    assert(ListedPerson.parse(closed.body).closed_at !== null);
    assertApiError(await person.get('/session'), 'invalid_api_key');
    assertApiError(await login(person.email, person.password), 'invalid_api_key');
    const link = await service.admin.post(`/admin/people/${person.personId}/password-link`);
    assertApiError(link, 'invalid_request');
    assertApiError(await service.admin.post('/admin/people/nobody/close'), 'not_found');
  });

  test('the last administrator is closed only by the admin token, which invites', async () => {
    const { body } = await service.admin.get('/admin/people?limit=100');
    for (const { id, administrator } of ListPeopleResponse.parse(body).items) {
      if (administrator) await service.admin.post(`/admin/people/${id}/close`);
    }
    const first = await newAdministrator(service);
    const second = await newAdministrator(service);
    const path = (person: typeof first) => `/admin/people/${person.personId}/close`;
    assert.equal((await first.post(path(second))).status, 200);
    assertApiError(await first.post(path(first)), 'invalid_request');
    assert.equal((await service.admin.post(path(first))).status, 200);
    assertApiError(await first.get('/session'), 'invalid_api_key');
    assert.equal((await (await newAdministrator(service)).get('/admin/people')).status, 200);
  });
});
