/**
 * A newcomer follows the README in a real browser: `npm start` on an empty home directory, a first
 * video, an image from disk, the next shot, an account with a key, and an invite by email.
 * Thorough: minutes in a browser, with a start of its own; each step has tests of its own.
 */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { reservePort, ServiceProcess } from '../faults/service-process.ts';
import { launchBrowser } from '../kit/browser.ts';
import { dropFile, joinBy, openVisitor } from '../kit/dashboard-fixture.ts';
import { resultFramePath } from '../kit/result-server.ts';
import { mailEnvironment, startSmtpReceiver } from '../kit/smtp-receiver.ts';
import { deleteFolder, makeTemporaryFolder } from '../kit/temporary-folder.ts';

const root = join(import.meta.dirname, '../..');
const folder = makeTemporaryFolder('walk');
const home = join(folder, 'home');
mkdirSync(home);
const smtp = await startSmtpReceiver();
const service = new ServiceProcess({
  environment: {
    VIDGEN_HOME: home,
    PORT: String(await reservePort()),
    VIDGEN_ALLOWED_NETWORKS: '127.0.0.0/8',
    ...mailEnvironment(smtp),
  },
  logFile: join(folder, 'output'),
  launcher: ['npm', 'start', '--silent', '--prefix', root],
});
const browser = await launchBrowser();
after(async () => {
  await browser.close();
  if (!service.hasExited) await service.stop();
  await smtp.close();
  deleteFolder(folder);
});

/** A preview of 480p takes seconds, and more on a machine that does other work. */
const videoWait = { timeout: 180_000 };
const dialog = (page: Page) => page.getByRole('dialog');
const goTo = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click();

test('a newcomer gets from npm start to a studio that works', async () => {
  await service.waitUntilServing();
  const visitor = await openVisitor(browser, service.url);
  const { page } = visitor;
  await followFirstLink(page);
  await makeFirstVideo(page);
  await animateImage(page);
  await continueShot(page);
  const account = await createStudio(page);
  await inviteByEmail(page, account);
  await goTo(page, 'Administration');
  await goTo(page, 'System');
  await page.getByRole('button', { name: 'Run invariant checks' }).click();
  await page.getByText('All checks passed').waitFor();
  assert.deepEqual(visitor.pageErrors, []);
  assert.equal((await service.stop()).code, 0);
});

async function followFirstLink(page: Page): Promise<void> {
  const [link] = /http:\S+\/dashboard\/join#\S+/.exec(service.output()) ?? [];
  assert(link, service.output());
  await joinBy(page, link, { name: 'Ada Newcomer', email: 'ada@example.org' });
}

async function makeFirstVideo(page: Page): Promise<void> {
  await goTo(page, 'Playground');
  await generate(page, 'Waves at dawn below a lighthouse');
  // No provider is connected, and the page says what was made instead.
  await page
    .getByRole('region', { name: 'Result' })
    .getByText('Preview', { exact: true })
    .waitFor();
}

async function generate(page: Page, prompt: string): Promise<void> {
  await page.getByLabel('Prompt').fill(prompt);
  await page.getByRole('radio', { name: /^480p/ }).check();
  await page.getByText(/^Costs/).waitFor();
  const before = new URL(page.url()).searchParams.get('task');
  await page.getByRole('button', { name: /^Generate/ }).click();
  await page.waitForURL(({ searchParams }) => (searchParams.get('task') ?? before) !== before);
  await page.getByRole('region', { name: 'Result' }).getByText('Completed').waitFor(videoWait);
  await page.getByLabel('Generated video').waitFor();
}

async function animateImage(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Clear', exact: true }).click();
  const zone = page.getByRole('button', { name: /Drop an image here/ });
  await dropFile(zone, resultFramePath, 'image/jpeg');
  await page.getByRole('button', { name: 'Remove First frame' }).waitFor();
  await generate(page, 'The camera drifts to the right while clouds pass');
}

/** The next shot begins on the last frame. */
async function continueShot(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await page.getByText('Shot 2 of a story.').waitFor();
  await generate(page, 'The camera turns to the open sea');
}

/** An account with credits and a key, made in the dashboard. */
async function createStudio(page: Page): Promise<string> {
  await goTo(page, 'Administration');
  await goTo(page, 'Accounts');
  await page.getByRole('button', { name: 'Create account' }).click();
  await dialog(page).getByLabel('Name').fill('Harbor Films');
  await dialog(page).getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('heading', { level: 1, name: /Harbor Films/ }).waitFor();
  const account = /accounts\/([0-9a-f-]{36})/.exec(page.url())![1]!;
  await page.getByRole('button', { name: 'Adjust credits' }).click();
  await dialog(page).getByRole('textbox', { name: 'Credits' }).fill('500');
  await dialog(page).getByLabel('Reason').fill('Invoice 1');
  await dialog(page).getByRole('button', { name: 'Add credits' }).click();
  await dialog(page).waitFor({ state: 'detached' });

  await page.getByRole('link', { name: 'Open account' }).click();
  await goTo(page, 'API keys');
  await page.getByRole('button', { name: 'Create key' }).first().click();
  await dialog(page).getByLabel('Name').fill('Website');
  await dialog(page).getByRole('button', { name: 'Create key' }).click();
  assert.match((await dialog(page).locator('code').first().textContent()) ?? '', /^vg_live_/);
  await page.getByRole('button', { name: 'I’ve saved it' }).click();
  return account;
}

async function invite(page: Page, email: string): Promise<void> {
  await goTo(page, 'Members');
  await page.getByRole('button', { name: 'Invite member' }).click();
  await page.getByLabel('Email').fill(email);
  await page.getByRole('button', { name: 'Send invite' }).click();
  await page.getByText('We’re emailing this link.').waitFor();
  await page.getByRole('button', { name: 'Done' }).click();
}

async function inviteByEmail(page: Page, account: string): Promise<void> {
  const email = 'vera@example.org';
  await invite(page, email);
  const [mail] = await smtp.waitForMails(email);
  const link = /http\S+#\S+/.exec(mail!.text ?? '')![0];
  const vera = await openVisitor(browser, service.url);
  await joinBy(vera.page, link, { name: 'Vera', email });
  await vera.page.goto(`/dashboard/accounts/${account}/members`);
  await vera.page.getByRole('cell', { name: /Vera/ }).waitFor();
  assert.deepEqual(vera.pageErrors, []);
  await vera.context.close();
}
