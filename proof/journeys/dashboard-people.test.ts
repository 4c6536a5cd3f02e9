/**
 * People in the dashboard in a real browser: one from the invitation to the revoked key, and what
 * she created appears where it must; links, members, and the pages for guests.
 * Thorough: a tour in a browser; `api/people` is tested in every run.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  assertPage,
  changeTheme,
  password,
  startDashboard,
  type Visitor,
} from '../kit/dashboard-fixture.ts';
import { startReceiver } from '../kit/receiver.ts';

const fixture = await startDashboard();
after(() => fixture?.close());

test('a person joins, creates a key and a video, finds both, and revokes the key', async (t) => {
  const receiver = await startReceiver();
  t.after(() => receiver.close());
  const { id, webhookSecret } = await fixture.service.account({ live: 1000, name: 'Studio' });
  const { page, open } = await fixture.member(id, 'developer');

  // The key is shown once.
  await open(`/accounts/${id}/keys?mode=live`);
  await page.getByRole('button', { name: 'Create key' }).first().click();
  await page.getByLabel('Name').fill('Shop');
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  const shown = page.getByRole('dialog');
  await shown.getByText('Copy this key now').waitFor();
  const key = (await shown.locator('code').first().textContent()) ?? '';
  assert.match(key, /^vg_live_[0-9A-Za-z]+$/);
  await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  assert(await shown.isVisible(), 'it is not dismissed by a stray click');
  await page.getByRole('button', { name: 'I’ve saved it' }).click();
  await shown.waitFor({ state: 'detached' });
  await page.getByRole('row', { name: /Shop/ }).waitFor();
  assert.equal((await fixture.service.client(key).get('/v1/credits')).status, 200);
  assert(!(await page.content()).includes(key), 'it is shown once');

  // Creates a video in the playground from the keyboard.
  await open(`/accounts/${id}/playground?mode=live`);
  await page.getByLabel('Prompt').fill('Waves at dawn below a lighthouse');
  await page.getByRole('radio', { name: /^480p/ }).check();
  await page.getByRole('button', { name: 'Advanced' }).click();
  await page.getByLabel('Webhook URL').fill(receiver.url);
  await page.getByText(/^Costs/).waitFor();
  await page.getByLabel('Prompt').focus();
  await page.keyboard.press('Control+Enter');
  await page.waitForURL(/task=task_/);
  const task = /task=(task_[0-9a-z]+)/.exec(page.url())?.[1] ?? '';
  // A reload loses nothing.
  await page.reload();
  const video = page.locator('video[aria-label="Generated video"]');
  await video.waitFor({ timeout: 120_000 });
  await page.waitForFunction(
    () => (document.querySelector('video[controls]') as HTMLVideoElement)?.currentTime > 0.2,
    null,
    { timeout: 60_000 },
  );

  // The task is in the list, on its page and in the ledger.
  await open(`/accounts/${id}/tasks?mode=live`);
  await page.getByRole('row', { name: /Waves at dawn/ }).click();
  await page.waitForURL(new RegExp(task));
  await page.getByText('Webhook delivered').first().waitFor();
  await open(`/accounts/${id}/credits?mode=live`);
  await page.getByRole('row', { name: new RegExp(`Charged.*${task}`) }).waitFor();

  // Replays its webhook.
  const [first] = await receiver.waitForWebhooks(1);
  await open(`/accounts/${id}/webhooks?mode=live`);
  await page.getByRole('row', { name: new RegExp(task) }).click();
  await page.getByRole('button', { name: 'Replay', exact: true }).click();
  const [, second] = await receiver.waitForWebhooks(2);
  assert.equal(second?.raw, first?.raw);
  assert.equal(second?.headers['webhook-id'], first?.headers['webhook-id']);
  assert(webhookSecret.startsWith('whsec_'));

  // Revokes the key.
  await open(`/accounts/${id}/keys?mode=live`);
  await page.getByRole('button', { name: 'Revoke Shop' }).click();
  const revoke = page.getByRole('dialog').getByRole('button', { name: 'Revoke key' });
  assert(await revoke.isDisabled());
  await page.getByLabel('Type Shop to confirm').fill('Shop');
  await revoke.click();
  await page.getByText('Revoked', { exact: true }).waitFor();
  assert.equal((await fixture.service.client(key).get('/v1/credits')).status, 401);
  await fixture.service.assertInvariants();
});

test('an owner invites by a link shown once; the person joins, and is removed', async () => {
  const { id } = await fixture.service.account({ live: 1000 });
  const owner = await fixture.member(id, 'owner', { name: 'Olga Owner' });
  await owner.open(`/accounts/${id}/members`);
  await owner.page.getByRole('button', { name: 'Invite member' }).click();
  await owner.page.getByRole('radio', { name: 'Viewer' }).check();
  await owner.page.getByRole('button', { name: 'Create invite link' }).click();
  const link = await owner.page.getByLabel('Link', { exact: true }).inputValue();
  await owner.page.getByRole('button', { name: 'Done' }).click();

  const { page } = await fixture.anonymous();
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
});

async function assertFitsPage(visitor: Visitor, path: string, shows: string): Promise<void> {
  const { page, open } = visitor;
  await open(path);
  await page.getByText(shows).first().waitFor();
  for (const colorScheme of ['light', 'dark'] as const) {
    await changeTheme(page, colorScheme);
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 844 });
      const where = `${path.replace(/#.*/, '')} at ${width}, ${colorScheme}`;
      await assertPage(visitor, where);
    }
  }
}
