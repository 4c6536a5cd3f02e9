/**
 * A new installation in one browser session: the first start, a preview, its edit, an extension and
 * a story, then a provider, a customer with credits, a real video, and what it earned.
 * Thorough: minutes in a browser, with a start of its own; each step has tests of its own.
 */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { reservePort, ServiceProcess } from '../faults/service-process.ts';
import { assertPlayable } from '../kit/assert-playable.ts';
import { launchBrowser } from '../kit/browser.ts';
import { axeProblems, joinBy, openVisitor } from '../kit/dashboard-fixture.ts';
import { FakeOpenAiVideos, servedModel } from '../kit/openai-videos/fake.ts';
import { deleteFolder, makeTemporaryFolder } from '../kit/temporary-folder.ts';

const model = 'vidgen-2-0-mini';
const folder = makeTemporaryFolder('dashboard-walk');
const configFile = join(folder, 'vidgen.config.ts');
const creditValue = 0.05;
await writeFile(
  configFile,
  `export default { creditValue: { currency: 'USD', amount: ${creditValue} } };`,
);
const engine = await FakeOpenAiVideos.start({ dialect: 'vllm', automatic: true });
const service = new ServiceProcess({
  environment: {
    VIDGEN_HOME: join(folder, 'home'),
    VIDGEN_CONFIG: configFile,
    PORT: String(await reservePort()),
    VIDGEN_ALLOWED_NETWORKS: '127.0.0.0/8',
  },
  logFile: join(folder, 'output'),
});
const browser = await launchBrowser();
after(async () => {
  await browser.close();
  if (!service.hasExited) await service.stop();
  await engine.close();
  deleteFolder(folder);
});

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const result = (page: Page) => page.getByRole('region', { name: 'Result' });
const goTo = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click();

test('a new installation gets from its first start to what a real video earned', async () => {
  await service.waitUntilServing();
  const { page, pageErrors } = await openVisitor(browser, service.url);
  await page.goto('/');
  await page.getByText('printed in its terminal').waitFor();
  await page.getByRole('link', { name: 'Forgot password?' }).click();
  await page.getByText('This installation sends no email.').waitFor();
  const [link] = /http:\S+\/dashboard\/join#\S+/.exec(service.output()) ?? [];
  assert(link, service.output());
  await joinBy(page, link, { name: 'Ada Newcomer', email: 'ada@example.org' });

  await makePreviews(page);
  await downloadStory(page);
  await connectProvider(page);
  await createAccount(page);
  await generate(page, 'Waves below a lighthouse');
  assert.equal(await result(page).getByText('Preview', { exact: true }).count(), 0);
  assert.equal(engine.createdFor.length, 2, 'the test video, and this one');

  const [, credits] = /(\d+) credits charged/.exec(await result(page).innerText())!;
  await readMargin(page, { revenue: `$${(Number(credits) * creditValue).toFixed(2)}` });
  await goTo(page, 'System');
  await button(page, 'Run invariant checks').click();
  await page.getByText('All checks passed').waitFor();
  assert.deepEqual(pageErrors, []);
});

/** Sends the form with a prompt, and waits for the video. */
async function generate(page: Page, prompt: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Prompt' }).fill(prompt);
  await page.getByText(/^Costs/).waitFor();
  const before = new URL(page.url()).searchParams.get('task');
  const send = page.getByRole('button', { name: /^Generate/ });
  const { y, height } = (await send.boundingBox())!;
  assert(y > 0 && y + height <= 900, 'it is in view without scrolling');
  await send.click();
  await page.waitForURL(({ searchParams }) => (searchParams.get('task') ?? before) !== before);
  await result(page).getByText('Completed').waitFor();
  await page.getByLabel('Generated video').waitFor();
}

/** A video of the demo account, its edit, an extension of that, and a second shot. */
async function makePreviews(page: Page): Promise<void> {
  await goTo(page, 'Playground');
  await page.getByRole('radio', { name: /^480p/ }).check();
  await generate(page, 'A boat at dusk');
  await result(page).getByText('Preview', { exact: true }).waitFor();
  await button(page, 'Edit').click();
  await page.getByText('Video to edit').waitFor();
  await generate(page, 'Make it snow');
  await button(page, 'Extend').click();
  await page.getByText('Video to extend').waitFor();
  await generate(page, 'The boat reaches the harbor');
  await button(page, 'Continue').click();
  await page.getByText('Shot 2 of a story.').waitFor();
  await generate(page, 'Night falls, slow zoom in');
}

/** As one file; a shot that is missing is named. */
async function downloadStory(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Open task' }).click();
  await page.getByText('Story of 2 shots').waitFor();
  const shots = page.locator('ol > li', { hasText: 'Shot' });
  await shots.locator('img').nth(1).waitFor({ state: 'attached' });
  assert.deepEqual(await shots.allInnerTexts(), ['Shot 1', 'Shot 2']);
  assert.deepEqual(await axeProblems(page), []);
  const downloading = page.waitForEvent('download');
  await button(page, 'Download as one file').click();
  const download = await downloading;
  assert.equal(download.suggestedFilename(), 'story-the-boat-reaches-the-harbor.mp4');
  await assertPlayable(await readFile(await download.path()));
  const story = page.url();
  await shots.first().getByRole('link').click();
  await button(page, 'Delete task').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete task' }).click();
  await page.waitForURL(/\/tasks\?/);
  await page.goto(story);
  await page.getByText('Shot 1 was deleted. All shots are needed').waitFor();
}

async function connectProvider(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Connect provider' }).click();
  const dialog = page.getByRole('dialog', { name: 'Connect provider' });
  await dialog.getByRole('button', { name: /OpenAI-compatible/ }).click();
  await dialog.getByLabel('Base URL').fill(engine.baseUrl);
  await dialog.getByLabel(model, { exact: true }).fill(servedModel);
  await dialog.getByRole('button', { name: 'Save and continue' }).click();
  await dialog.getByRole('button', { name: 'Run test video' }).click();
  await dialog.getByText('It works.').waitFor();
  await dialog.getByRole('button', { name: 'Set routes' }).click();
  await dialog.getByText('First choice').click();
  await dialog.getByRole('button', { name: 'Save routes' }).click();
}

/** The last step of the provider: a customer with credits, in whose playground it ends. */
async function createAccount(page: Page): Promise<void> {
  await page.getByRole('dialog').getByLabel('Name').fill('Harbor Films');
  await page.getByRole('button', { name: 'Create and open playground' }).click();
  await page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor();
  await page.getByText('No provider connected').waitFor({ state: 'detached' });
}

async function readMargin(page: Page, { revenue }: { revenue: string }): Promise<void> {
  await goTo(page, 'Administration');
  await goTo(page, 'Money');
  await page.getByRole('heading', { level: 1, name: 'Margin' }).waitFor();
  await page.getByText('By account', { exact: true }).click();
  // One video; the engine names no cost.
  await page
    .getByRole('row', { name: `Harbor Films 1 ${revenue}` })
    .getByText('1 of 1')
    .waitFor();
}
