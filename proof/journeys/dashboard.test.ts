/**
 * A new person in a real browser, from the invitation to the revoked key. Everything they create
 * appears everywhere it must.
 *
 * Thorough: a tour in a browser; the endpoints are tested in every run.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startDashboard } from '../kit/dashboard-fixture.ts';
import { startReceiver } from '../kit/receiver.ts';

const fixture = await startDashboard();
after(() => fixture?.close());

test('a person joins, creates a key and a video, finds both, and revokes the key', async (t) => {
  const receiver = await startReceiver();
  t.after(() => receiver.close());
  const { id, webhookSecret } = await fixture.service.account({ live: 1000, name: 'Studio' });
  const { page, open, pageErrors, context } = await fixture.member(id, 'developer');

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
  assert.deepEqual(pageErrors, []);
  await context.close();
});
