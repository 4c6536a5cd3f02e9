/**
 * `npm run screenshots`: writes every page of the dashboard at 1440 and 390 px, light and dark, to
 * docs/screenshots/. Names select pages: `npm run screenshots -- task`. The data is a studio with
 * four weeks of completed tasks.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type DashboardFixture, startDashboard } from './dashboard-fixture.ts';
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
const fixture = await startDashboard({ engine: 'embedded' });
const seeded = await seedStudio(fixture.service, {
  prompts,
  size: { resolution: '720p', duration: 5 },
  seedHistory: (account) => seedTaskHistory(fixture.service.db, { account }),
});
await fixture.service.assertInvariants();
const pages = Object.entries(dashboardPages(seeded)).filter(
  ([name]) => names.length === 0 || names.includes(name),
);
for (const width of widths) {
  for (const colorScheme of themes) await takeAll(fixture, { width, colorScheme });
}
await seeded.close();
await fixture.close();

async function takeAll(
  { administrator, anonymous }: DashboardFixture,
  viewport: { readonly width: number; readonly colorScheme: 'light' | 'dark' },
): Promise<void> {
  const suffix = `${viewport.width}-${viewport.colorScheme}.jpg`;
  const outside = await anonymous(viewport);
  await outside.open('/sign-in');
  await outside.page.screenshot({ path: join(folder, `sign-in-${suffix}`), quality: 70 });
  await outside.context.close();
  const { page, open, context } = await administrator({ ...viewport, name: 'Sam Whitaker' });
  for (const [name, path] of pages) {
    await open(path);
    await page.waitForLoadState('networkidle');
    await page.screenshot({ path: join(folder, `${name}-${suffix}`), quality: 70, fullPage: true });
    process.stdout.write(`${name}-${suffix}\n`);
  }
  await context.close();
}
