/**
 * Mail and notices in a real browser and a real mail server: an alert that is set, crossed, shown
 * by the bell and mailed; an invitation by mail; a password that was forgotten.
 * Thorough: a tour in a browser; `journeys/mail` and `journeys/notices` are tested in every run.
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
import { mailEnvironment, type ReceivedMail, startSmtpReceiver } from '../kit/smtp-receiver.ts';

const smtp = await startSmtpReceiver();
const fixture = await startDashboard({ environment: mailEnvironment(smtp) });
after(async () => {
  await fixture.close();
  await smtp.close();
});

const linkIn = ({ text = '' }: ReceivedMail): string => /http\S+#\S+/.exec(text)![0];
const bell = ({ page }: Visitor, name: RegExp) => page.getByRole('button', { name });

/** In both themes and widths: no violations, and nothing wider than a phone. */
async function assertAccessible({ page }: Visitor): Promise<void> {
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    for (const theme of ['light', 'dark'] as const) {
      await changeTheme(page, theme);
      assert.deepEqual(await axeProblems(page), [], `${width} ${theme}`);
    }
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    assert.equal(overflow, 0, String(width));
  }
  await page.setViewportSize({ width: 1440, height: 900 });
}

test('an owner sets an alert; the crossing rings the bell and is mailed', async () => {
  const { service } = fixture;
  const { id } = await service.account({ live: 1000, name: 'Acme Studio' });
  const email = 'olga@example.org';
  const owner = await fixture.member(id, 'owner', { name: 'Olga', email });
  const { page } = owner;
  await owner.open(`/accounts/${id}/credits?mode=live`);
  await bell(owner, /^Notices$/).waitFor();
  await page.getByRole('button', { name: 'Set alert' }).click();
  await page.getByLabel('Live credits', { exact: true }).fill('2000');
  await page.getByRole('button', { name: 'Save alert' }).click();
  await page.getByText('Below 2,000 live credits').waitFor();

  const [mail] = await smtp.waitForMails(email);
  assert.equal(mail!.subject, 'Low balance: Acme Studio');
  await bell(owner, /^Notices, 1 unread$/).click();
  const panel = page.getByRole('listitem').filter({ hasText: 'Low balance: Acme Studio' });
  await panel.getByText('1,000 credits left, below the alert at 2,000 credits').waitFor();
  await bell(owner, /^Notices$/).waitFor();
  await page.getByRole('link', { name: 'View all' }).click();
  await page.getByRole('heading', { name: 'Notices', level: 1 }).waitFor();
  await panel.waitFor();
  await assertAccessible(owner);
  await page.getByRole('button', { name: 'Dismiss: Low balance: Acme Studio' }).click();
  await page.getByRole('heading', { name: 'No notices' }).waitFor();

  // The link of the mail opens the page where the owner can act.
  await page.goto(/http\S+credits/.exec(mail!.text!)![0]);
  await page.getByRole('heading', { name: 'Credits', level: 1 }).waitFor();
  await service.admin.post(`/admin/accounts/${id}/credits`, {
    ...{ amount: 5000, mode: 'live', note: 'for a test' },
  });
  assert.deepEqual(owner.pageErrors, []);
  await owner.context.close();
});

test('an owner invites by email, and the person joins by the link of the mail', async () => {
  const { id } = await fixture.service.account({ name: 'Acme Studio' });
  const owner = await fixture.member(id, 'owner');
  await owner.open(`/accounts/${id}/members`);
  await owner.page.getByRole('button', { name: 'Invite member' }).click();
  await owner.page.getByLabel('Email').fill('vera@example.org');
  await owner.page.getByRole('button', { name: 'Send invite' }).click();
  await owner.page.getByText('We’re emailing this link.').waitFor();
  await owner.page.getByRole('button', { name: 'Done' }).click();
  await owner.page.getByText('vera@example.org · Developer').waitFor();
  const [mail] = await smtp.waitForMails('vera@example.org');

  const { page, context } = await fixture.anonymous();
  await page.goto(linkIn(mail!));
  await page.getByLabel('Your name').fill('Vera');
  assert.equal(await page.getByLabel('Email').inputValue(), 'vera@example.org');
  await page.getByLabel('New password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Join', exact: true }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  assert.deepEqual(owner.pageErrors, []);
  await Promise.all([context.close(), owner.context.close()]);
});

test('a person who forgot the password sets a new one by mail', async () => {
  const { id } = await fixture.service.account();
  const email = 'ida@example.org';
  const member = await fixture.member(id, 'viewer', { email });
  await member.context.close();
  const visitor = await fixture.anonymous();
  const { page } = visitor;
  await visitor.open('/sign-in');
  await page.getByRole('link', { name: 'Forgot password?' }).click();
  // The sign-in page stays until the next one is loaded, and has such a field too.
  await page.getByRole('heading', { name: 'Reset your password' }).waitFor();
  await page.getByLabel('Email').fill(email);
  await assertAccessible(visitor);
  await page.getByRole('button', { name: 'Send reset link' }).click();
  await page.getByRole('heading', { name: 'Check your email' }).waitFor();
  const [mail] = await smtp.waitForMails(email);
  await page.goto(linkIn(mail!));
  await page.getByLabel('New password', { exact: true }).fill('a kite of rice paper');
  await page.getByRole('button', { name: 'Set password and sign in' }).click();
  await page.locator('main#page').waitFor();
  assert.deepEqual(visitor.pageErrors, []);
  await visitor.context.close();
});

test('an administrator tests mail and sets the webhook for notices', async () => {
  const email = 'sam@example.org';
  const administrator = await fixture.administrator({ email });
  const { page } = administrator;
  await administrator.open('/operator/notices');
  await page.getByText('Paper Boat <no-reply@example.com>').waitFor();
  await page.getByRole('button', { name: 'Send test email' }).click();
  const [mail] = await smtp.waitForMails(email);
  assert.equal(mail!.subject, 'Your mail settings work');
  await page.getByRole('button', { name: 'Set webhook' }).click();
  await page.getByLabel('Webhook URL').fill('ftp://example.com');
  await page.getByRole('button', { name: 'Save webhook' }).click();
  await page.getByText(/^Must be an http/).waitFor();
  await page.getByLabel('Webhook URL').fill('https://example.com/notices');
  await page.getByRole('button', { name: 'Save webhook' }).click();
  await page.getByText('https://example.com/notices').waitFor();
  await assertAccessible(administrator);
  await fixture.service.admin.post('/admin/notice-settings', { webhook_url: null });
  assert.deepEqual(administrator.pageErrors, []);
  await administrator.context.close();
});
