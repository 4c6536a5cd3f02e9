/**
 * After a member is removed, the owner sees what that member still knows and revokes it in place.
 * Thorough: `api/people/exposed-secrets.test.ts` is in every run.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { axeProblems, startDashboard } from '../kit/dashboard-fixture.ts';
import { newMember } from '../kit/people.ts';

const fixture = await startDashboard();
after(() => fixture?.close());

test('an owner revokes what a removed member knows, by one click each', async () => {
  const { service } = fixture;
  const { id } = await service.account();
  const former = await newMember(service, { accountId: id, role: 'developer' });
  await former.post(`/admin/accounts/${id}/keys`, { name: 'Render farm', mode: 'live' });
  await service.admin.send('DELETE', `/admin/accounts/${id}/members/${former.personId}`);
  const { page, open, context, pageErrors } = await fixture.member(id, 'owner');
  await open(`/accounts/${id}/members`);
  const heading = page.getByRole('heading', { name: 'Exposed to former members' });
  await heading.waitFor();
  assert.deepEqual(await axeProblems(page), []);
  await page.getByRole('button', { name: 'Revoke key Render farm' }).click();
  await page.getByText('Key revoked').waitFor();
  await page.getByRole('button', { name: /Rotate secret/ }).click();
  await heading.waitFor({ state: 'detached' });
  const { body } = await service.admin.get(`/admin/accounts/${id}/exposed-secrets`);
  assert.deepEqual(body.items, []);
  assert.deepEqual(pageErrors, []);
  await context.close();
});
