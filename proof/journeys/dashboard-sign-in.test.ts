/**
 * Sign-in by OpenID Connect and two-factor authentication in a real browser: the first sign-in by
 * an invitation, linking, enrollment, both steps, recovery codes, confirmation, and the reset.
 * Thorough: a tour in a browser; `api/people` is tested in every run.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openAuthenticator } from '../kit/authenticator.ts';
import { axeProblems, password, startDashboard } from '../kit/dashboard-fixture.ts';
import { startOpenIdProvider } from '../kit/openid-provider.ts';

const provider = await startOpenIdProvider({ name: 'Paper ID' });
/** What the pages of the provider do. */
const ignoredErrors = /^asked another host|ERR_(NAME_NOT_RESOLVED|INTERNET_DISCONNECTED)/;
const fixture = await startDashboard({ environment: provider.environment }, { ignoredErrors });
const { service } = fixture;
provider.register(service.url);
after(async () => {
  try {
    await fixture.close();
  } finally {
    await provider.close();
  }
});

/** Fills in the login page of the provider. */
async function signInAtProvider(page: Page, login: string): Promise<void> {
  await page.waitForURL(`${provider.issuer}/**`);
  await page.getByPlaceholder('Enter any login').fill(login);
  await page.getByPlaceholder('and password').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
}
const shell = (page: Page) => page.getByRole('navigation', { name: 'Main' }).waitFor();
async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Profile and theme' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL(/\/dashboard\/sign-in/);
}
async function enterPassword(page: Page, email: string): Promise<void> {
  await page.goto('/dashboard/sign-in');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'Two-factor authentication' }).waitFor();
}

test('an invited person signs in with the provider, and confirms there', async () => {
  const { id } = await service.account({ live: 100, name: 'Boats' });
  provider.accounts.set('ida', {
    email: 'ida@example.org',
    email_verified: true,
    name: 'Ida Holm',
  });
  const { page, context } = await fixture.anonymous();
  await page.goto(`/dashboard/accounts/${id}/keys?mode=live`);
  await page.getByRole('button', { name: 'Continue with Paper ID' }).click();
  await signInAtProvider(page, 'ida');
  await page.getByRole('alert').getByText('You need an invite to join').waitFor();
  assert.deepEqual(await axeProblems(page), []);
  await service.admin.post(`/admin/accounts/${id}/invitations`, {
    role: 'owner',
    email: 'IDA@example.org',
  });
  await page.getByRole('button', { name: 'Continue with Paper ID' }).click();
  await page.waitForURL(`**/dashboard/accounts/${id}/keys?mode=live`);
  await page.getByRole('heading', { name: 'API keys' }).waitFor();

  // Live keys need a confirmation, in a window of the provider; what was entered stays.
  await service.db.query(`update sessions set confirmed_at = now() - interval '11 minutes'`);
  await page.getByRole('button', { name: 'Create key' }).first().click();
  const dialog = page.getByRole('dialog').first();
  await dialog.getByLabel('Name').fill('Laptop');
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('heading', { name: 'Confirm it’s you' }).waitFor();
  const opened = context.waitForEvent('page');
  await page
    .getByRole('dialog', { name: 'Confirm it’s you' })
    .getByRole('button', { name: 'Continue with Paper ID' })
    .click();
  const popup = await opened;
  const closed = popup.waitForEvent('close');
  await signInAtProvider(popup, 'ida');
  await closed;
  await page.getByText('Laptop').first().waitFor();
});

test('the page of an invitation offers the provider', async () => {
  const { id } = await service.account({ name: 'Kites' });
  provider.accounts.set('kim', { email: 'kim@example.org', name: 'Kim' });
  const { body } = await service.admin.post(`/admin/accounts/${id}/invitations`, {
    role: 'viewer',
  });
  const { page } = await fixture.anonymous();
  await page.goto(body.link as string);
  await page.getByRole('heading', { name: 'Join Kites' }).waitFor();
  await page.getByRole('button', { name: 'Continue with Paper ID' }).click();
  await signInAtProvider(page, 'kim');
  await shell(page);
  const session = await (await page.request.get('/session')).json();
  assert.deepEqual([session.person.email, session.accounts[0].id], ['kim@example.org', id]);
});

test('a person with a password links the provider, and an administrator unlinks it', async () => {
  const { id } = await service.account();
  const email = 'lena@example.com';
  const { page, open } = await fixture.member(id, 'owner', { email });
  provider.accounts.set('lena', { email, email_verified: true, name: 'Lena' });
  await signOut(page);
  await page.getByRole('button', { name: 'Continue with Paper ID' }).click();
  await signInAtProvider(page, 'lena');
  await page.getByRole('alert').getByText('already has a login').waitFor();
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await shell(page);
  await open('/profile');
  await page.getByRole('button', { name: 'Link Paper ID' }).click();
  await page.getByText(`You sign in with Paper ID as ${email}`).waitFor();
  await signOut(page);
  await page.getByRole('button', { name: 'Continue with Paper ID' }).click();
  await shell(page);
  await open('/profile');
  await page.getByText('Only an administrator can unlink it').waitFor();
  const administrator = await fixture.administrator();
  await administrator.open('/operator/people?q=lena');
  await administrator.page.getByRole('button', { name: `Actions for ${email}` }).click();
  await administrator.page.getByRole('menuitem', { name: 'Unlink single sign-on' }).click();
  await administrator.page.getByRole('button', { name: 'Unlink', exact: true }).click();
  await administrator.page.getByText('SSO').waitFor({ state: 'detached' });
  await page.reload();
  await page.waitForURL(/\/dashboard\/sign-in/);
});

test('two-factor authentication: set up, both steps, recovery, new password, reset', async () => {
  const { id } = await service.account();
  const email = 'tove@example.com';
  const { page, open } = await fixture.member(id, 'owner', { email });
  await open('/profile');
  await page.getByRole('button', { name: 'Set up' }).click();
  await page.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor();
  const secret = await page.getByTitle(/^[A-Z2-7]{32}$/).getAttribute('title');
  const app = openAuthenticator(service.db, secret!);
  await page.getByLabel('Code from the app').fill('000000');
  await page.getByRole('button', { name: 'Turn on' }).click();
  await page.getByRole('alert').getByText('Incorrect code').waitFor();
  assert.deepEqual(await axeProblems(page), []);
  await page.getByLabel('Code from the app').fill(app.codeAt(0));
  await page.getByRole('button', { name: 'Turn on' }).click();
  await page.getByText('Save your recovery codes').waitFor();
  assert.deepEqual(await axeProblems(page), []);
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download' }).click();
  const file = await readFile(await (await downloading).path(), 'utf8');
  const codes = file.match(/^[a-z2-9]{5}-[a-z2-9]{5}$/gm)!;
  assert.equal(codes.length, 10);
  await page.getByRole('button', { name: 'I’ve saved them' }).click();
  await page.getByText('10 recovery codes left').waitFor();

  await signOut(page);
  await enterPassword(page, email);
  await page.getByLabel('Code', { exact: true }).fill('000000');
  await page.getByRole('button', { name: 'Verify' }).click();
  await page.getByRole('alert').getByText('Incorrect code').waitFor();
  assert.deepEqual(await axeProblems(page), []);
  await page.getByLabel('Code', { exact: true }).fill(await app.code());
  await page.keyboard.press('Enter');
  await shell(page);

  await signOut(page);
  await enterPassword(page, email);
  await page.getByRole('button', { name: 'Use a recovery code' }).click();
  await page.getByLabel('Recovery code').fill(codes[0]!);
  await page.getByRole('button', { name: 'Verify' }).click();
  await shell(page);
  await open('/profile');
  await page.getByText('9 recovery codes left').waitFor();
  await page.getByRole('button', { name: 'New recovery codes' }).click();
  await page.getByLabel('Code from your app').fill(await app.code());
  await page.getByRole('button', { name: 'Create codes' }).click();
  await page.getByRole('button', { name: 'I’ve saved them' }).click();
  await page.getByText('10 recovery codes left').waitFor();

  // A link for a new password leads to the second step, too.
  const { person } = await (await page.request.get('/session')).json();
  const { body } = await service.admin.post(`/admin/people/${person.id}/password-link`);
  await page.goto(body.link as string);
  await page.getByLabel('New password', { exact: true }).fill('a kite of rice paper');
  await page.getByRole('button', { name: 'Set password and sign in' }).click();
  await page.getByLabel('Code', { exact: true }).fill(await app.code());
  await page.getByRole('button', { name: 'Verify' }).click();
  await shell(page);
  await open('/profile');

  // Lost all of it: an administrator resets it.
  const administrator = await fixture.administrator();
  await administrator.open('/operator/people?q=tove');
  await administrator.page.getByRole('button', { name: `Actions for ${email}` }).click();
  await administrator.page
    .getByRole('menuitem', { name: 'Reset two-factor authentication' })
    .click();
  await administrator.page.getByRole('button', { name: 'Reset', exact: true }).click();
  await administrator.page.getByText('2FA').waitFor({ state: 'detached' });
  await page.reload();
  await page.getByRole('button', { name: 'Set up' }).waitFor();
});
