/**
 * `npm run screenshots`: takes every page at 1440 and 390 px, light and dark, on an installation
 * with a dozen customers, into the folder it prints. Names select pages:
 * `npm run screenshots -- task`. The ones in docs/screenshots/ are replaced there, too.
 */
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { changeTheme, startDashboard, type Visitor } from './dashboard-fixture.ts';
import { dashboardPages } from './dashboard-seed.ts';
import { seedDemoInstallation } from './demo-installation.ts';

const folder = process.env.VIDGEN_SCREENSHOTS ?? join(tmpdir(), 'vidgen-screenshots');
const docsFolder = join(import.meta.dirname, '../../docs/screenshots');
const widths = [1440, 390] as const;
const themes = ['light', 'dark'] as const;

const names = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
process.stdout.write(`Screenshots are written to ${folder}\n`);
const fixture = await startDashboard({
  environment: { VIDGEN_POSTERS: 'on', VIDGEN_RESULT_TTL: '168h' },
  file: { creditValue: { currency: 'USD', amount: 0.02 } },
});
const seeded = await seedDemoInstallation(fixture.service);
await fixture.service.assertInvariants();
const guestPages = {
  'sign-in': '/dashboard/sign-in',
  docs: '/docs',
  guide: '/guides/quick-start',
  verify: '/verify',
};
const pages = Object.entries(dashboardPages(seeded));
const screens = [
  ...pages.map(([name, path]) => [name, `/dashboard${path}`] as const),
  ...Object.entries(guestPages),
].filter(([name]) => names.length === 0 || names.includes(name));
const visitors = {
  guest: await fixture.anonymous(),
  administrator: await fixture.administrator({
    name: 'Sam Whitaker',
    email: 'sam@northlight.example',
  }),
};
for (const width of widths) {
  for (const colorScheme of themes) {
    for (const [name, path] of screens) {
      const visitor = visitors[name in guestPages ? 'guest' : 'administrator'];
      await take(visitor, { name, path, width, colorScheme });
    }
  }
}
await fixture.service.assertInvariants();
await seeded.close();
await fixture.close();

type Screenshot = {
  readonly name: string;
  readonly path: string;
  readonly width: (typeof widths)[number];
  readonly colorScheme: (typeof themes)[number];
};

async function take({ page }: Visitor, screenshot: Screenshot): Promise<void> {
  const { name, path, width, colorScheme } = screenshot;
  await page.setViewportSize({ width, height: width < 600 ? 844 : 900 });
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await page.goto(path);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  if (path.startsWith('/dashboard')) await changeTheme(page, colorScheme);
  await settle(page);
  await page.evaluate(paintAll);
  await page.evaluate(showFrames);
  await showWhole(page);
  const file = `${name}-${width}-${colorScheme}.jpg`;
  await page.screenshot({ path: join(folder, file), quality: 70, fullPage: true });
  const copy = join(docsFolder, file);
  if (existsSync(copy)) copyFileSync(join(folder, file), copy);
  process.stdout.write(`${file}\n`);
}

/** Pages with a running task never stop polling, so the wait is short and may end without. */
async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle', { timeout: 5_000 }).catch(() => {});
}

/**
 * Runs in the page: scrolls through it and waits for its images, because what is below the first
 * screen is neither loaded nor painted before it was in view.
 */
async function paintAll(): Promise<void> {
  for (let top = 0; top < document.documentElement.scrollHeight; top += innerHeight) {
    scrollTo(0, top);
    // The second callback runs after the frame that the first one belongs to was painted.
    for (let frames = 0; frames < 2; frames++) await new Promise(requestAnimationFrame);
  }
  scrollTo(0, 0);
  await Promise.allSettled([...document.images].map((image) => image.decode()));
}

/** As high as the page, so that what sticks to the edge of a window does not cover the middle. */
async function showWhole(page: Page): Promise<void> {
  const { width } = page.viewportSize()!;
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({ width, height });
}

/** Runs in the page: pauses every video at its third second, and waits for the frame. */
async function showFrames(): Promise<void> {
  for (const video of document.querySelectorAll('video')) {
    video.preload = 'auto';
    video.pause();
    video.currentTime = 3;
    await new Promise((resolve) => video.addEventListener('seeked', resolve, { once: true }));
  }
}
