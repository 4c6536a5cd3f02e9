/**
 * `npm run screenshots`: every page of the dashboard at 1440 and 390 px, light and dark, over an
 * installation with a past, into docs/screenshots/. Names choose pages: `npm run screenshots --
 * task`.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type DashboardBench, startDashboard } from './dashboard-bench.ts';
import { inventPast } from './dashboard-past.ts';
import { storyPages, storySettings, tellStory } from './dashboard-story.ts';

const folder =
  process.env.VIDGEN_SCREENSHOTS ?? join(import.meta.dirname, '../../docs/screenshots');
const widths = [1440, 390] as const;
const themes = ['light', 'dark'] as const;

const wanted = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const bench = await startDashboard({ environment: storySettings, engine: 'embedded' });
const story = await tellStory(bench.service, (account) =>
  inventPast(bench.service.db, { account }),
);
await bench.service.auditClean();
const pages = Object.entries(storyPages(story)).filter(
  ([name]) => wanted.length === 0 || wanted.includes(name),
);
for (const width of widths) {
  for (const colorScheme of themes) await takeAll(bench, { width, colorScheme });
}
await story.close();
await bench.close();

async function takeAll(
  { administrator, stranger }: DashboardBench,
  look: { readonly width: number; readonly colorScheme: 'light' | 'dark' },
): Promise<void> {
  const suffix = `${look.width}-${look.colorScheme}.jpg`;
  const outside = await stranger(look);
  await outside.page.goto('/dashboard/sign-in');
  await outside.page.getByRole('heading', { level: 1 }).waitFor();
  await outside.page.screenshot({ path: join(folder, `sign-in-${suffix}`), quality: 70 });
  await outside.context.close();
  const { page, open, context } = await administrator({ ...look, name: 'Ada Lovelace' });
  for (const [name, path] of pages) {
    await open(path);
    await page.waitForLoadState('networkidle');
    await page.screenshot({ path: join(folder, `${name}-${suffix}`), quality: 70, fullPage: true });
    process.stdout.write(`${name}-${suffix}\n`);
  }
  await context.close();
}
