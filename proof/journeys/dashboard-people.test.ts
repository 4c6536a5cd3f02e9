/**
 * People in the dashboard in a real browser: links, sign-in and sign-out, members, profile.
 * Thorough: a tour in a browser; `api/people` is tested in every run.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  axeProblems,
  changeTheme,
  password,
  startDashboard,
  type Visitor,
} from '../kit/dashboard-fixture.ts';

const fixture = await startDashboard();
after(() => fixture?.close());

test('an owner invites by a link shown once; the person joins, and is removed', async () => {
  const { id } = await fixture.service.account({ live: 1000 });
  const owner = await fixture.member(id, 'owner', { name: 'Olga Owner' });
  await owner.open(`/accounts/${id}/members`);
  await owner.page.getByRole('button', { name: 'Invite member' }).click();
  await owner.page.getByRole('radio', { name: 'Viewer' }).check();
  await owner.page.getByRole('button', { name: 'Create invite link' }).click();
  const link = await owner.page.getByLabel('Link', { exact: true }).inputValue();
  await owner.page.getByRole('button', { name: 'Done' }).click();

  const { page, context } = await fixture.anonymous();
  await page.goto(link);
  await page.getByLabel('Your name').fill('<b>Vera</b>');
  await page.getByLabel('Email').fill('vera@example.com');
  await page.getByLabel('New password', { exact: true }).fill('short');
  await page.getByRole('button', { name: 'Join', exact: true }).click();
  await page.getByText('Use at least 12 characters').waitFor();
  await page.getByLabel('New password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Join', exact: true }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  // A viewer sees the members, and no actions.
  await page.goto(`/dashboard/accounts/${id}/members`);
  await page.getByRole('cell', { name: '<b>Vera</b>' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Invite member' }).count(), 0);
  assert.equal(await page.getByRole('link', { name: 'Accounts', exact: true }).count(), 0);

  await owner.page.reload();
  await owner.page
    .getByRole('row', { name: /Vera/ })
    .getByRole('button', { name: 'Remove' })
    .click();
  await owner.page.getByRole('button', { name: 'Remove member' }).click();
  await owner.page.getByRole('row', { name: /Vera/ }).waitFor({ state: 'detached' });
  await page.goto(link);
  await page.getByRole('heading', { name: 'This link isn’t valid' }).waitFor();
  assert.deepEqual(owner.pageErrors, []);
  await Promise.all([context.close(), owner.context.close()]);
});

test('money and keys require the password again after ten minutes', async () => {
  const { id } = await fixture.service.account();
  const owner = await fixture.member(id, 'owner');
  await fixture.service.db.query(
    "update sessions set confirmed_at = now() - interval '11 minutes'",
  );
  await owner.open(`/accounts/${id}/members`);
  await owner.page.getByRole('button', { name: 'Invite member' }).click();
  await owner.page.getByRole('button', { name: 'Create invite link' }).click();
  const confirmDialog = owner.page.getByRole('dialog', { name: 'Confirm your password' });
  await confirmDialog.getByLabel('Password', { exact: true }).fill('not the password');
  await confirmDialog.getByRole('button', { name: 'Confirm' }).click();
  await confirmDialog
    .getByText(/password/i)
    .nth(2)
    .waitFor();
  await confirmDialog.getByLabel('Password', { exact: true }).fill(password);
  await confirmDialog.getByRole('button', { name: 'Confirm' }).click();
  await owner.page.getByLabel('Link', { exact: true }).waitFor();
  assert.deepEqual(owner.pageErrors, []);
  await owner.context.close();
});

test('the pages for guests are accessible in both themes and fit a phone', async () => {
  const { service } = fixture;
  const { id } = await service.account({ live: 20 });
  const admin = await fixture.administrator();
  const { person } = await (await admin.page.request.get('/session')).json();
  const linkTo = async (path: string, request: object = {}) => {
    const { body } = await service.admin.post(path, request);
    return String(body.link).slice(`${service.url}/dashboard`.length);
  };
  const guest = await fixture.anonymous();
  const invitation = await linkTo(`/admin/accounts/${id}/invitations`, { role: 'viewer' });
  const reset = await linkTo(`/admin/people/${person.id}/password-link`);
  await assertFitsPage(guest, '/sign-in', 'Sign in');
  await assertFitsPage(guest, invitation, 'Your name');
  await assertFitsPage(guest, reset, 'New password');
  await assertFitsPage(guest, '/join#none', 'This link isn’t valid');
  await assertFitsPage(guest, '/no', 'Page not found');
  assert.deepEqual(guest.pageErrors, []);
  await Promise.all([guest.context.close(), admin.context.close()]);
});

async function assertFitsPage({ page, open }: Visitor, path: string, shows: string): Promise<void> {
  await open(path);
  await page.getByText(shows).first().waitFor();
  for (const colorScheme of ['light', 'dark'] as const) {
    await changeTheme(page, colorScheme);
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 844 });
      const where = `${path.replace(/#.*/, '')} at ${width}, ${colorScheme}`;
      assert.deepEqual(await axeProblems(page), [], where);
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      assert.equal(overflow, 0, `${where} is wider than the screen`);
    }
  }
}
