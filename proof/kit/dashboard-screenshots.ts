/**
 * `npm run screenshots`: writes every page of the dashboard at 1440 and 390 px, light and dark, to
 * docs/screenshots/. Names select pages: `npm run screenshots -- task`. The data is a studio with
 * four weeks of completed tasks.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { changeTheme, startDashboard, type Visitor } from './dashboard-fixture.ts';
import { dashboardPages, seedStudio } from './dashboard-seed.ts';
import { seedTaskHistory } from './seed-task-history.ts';

const folder =
  process.env.VIDGEN_SCREENSHOTS ?? join(import.meta.dirname, '../../docs/screenshots');
const widths = [1440, 390] as const;
const themes = ['light', 'dark'] as const;
/** The playground shows the last eight tasks with their videos: these and two of the studio. */
const prompts = [
  'Macro shot of a bee landing on a sunflower, golden backlight',
  'A humpback whale glides past a coral reef, light shafts from above',
  'A camel caravan crosses desert dunes at sunset, the camera rises slowly',
  'Snow falls on a mountain village at night, warm windows, seen from above',
  'Neon signs reflected in a rainy street, people with umbrellas walk by',
  'A campfire at the edge of a pine forest, sparks drift into the stars',
  'A spiral galaxy turns slowly behind an astronaut',
  'Morning mist between tall trees, a deer looks up',
];

const names = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const fixture = await startDashboard({ environment: { VIDGEN_POSTERS: 'on' } });
const seeded = await seedStudio(fixture.service, {
  prompts,
  size: { resolution: '720p', duration: 5 },
  seedHistory: (account) => seedTaskHistory(fixture.service.db, { account }),
});
await fixture.service.assertInvariants();
const pages = Object.entries(dashboardPages(seeded)).filter(
  ([name]) => names.length === 0 || names.includes(name),
);
const visitors = {
  guest: await fixture.anonymous(),
  administrator: await fixture.administrator({
    name: 'Sam Whitaker',
    email: 'sam@driftwood.example',
  }),
};
for (const width of widths) {
  for (const colorScheme of themes) {
    await take(visitors.guest, { name: 'sign-in', path: '/sign-in', width, colorScheme });
    for (const [name, path] of pages) {
      await take(visitors.administrator, { name, path, width, colorScheme });
    }
  }
}
await seeded.close();
await fixture.close();

type Screenshot = {
  readonly name: string;
  readonly path: string;
  readonly width: (typeof widths)[number];
  readonly colorScheme: (typeof themes)[number];
};

async function take({ page, open }: Visitor, screenshot: Screenshot): Promise<void> {
  const { name, path, width, colorScheme } = screenshot;
  await page.setViewportSize({ width, height: width < 600 ? 844 : 900 });
  await open(path);
  await changeTheme(page, colorScheme);
  await page.waitForLoadState('networkidle');
  await page.evaluate(paintAll);
  await page.evaluate(showFrames);
  const file = `${name}-${width}-${colorScheme}.jpg`;
  await page.screenshot({ path: join(folder, file), quality: 70, fullPage: true });
  process.stdout.write(`${file}\n`);
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

/** Runs in the page: pauses every video at its third second, and waits for the frame. */
async function showFrames(): Promise<void> {
  for (const video of document.querySelectorAll('video')) {
    video.preload = 'auto';
    video.pause();
    video.currentTime = 3;
    await new Promise((resolve) => video.addEventListener('seeked', resolve, { once: true }));
  }
}
