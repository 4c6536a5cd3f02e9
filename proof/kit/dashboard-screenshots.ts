/**
 * `npm run screenshots`: every page of the dashboard at 1440 and 390 px, light and dark, over an
 * installation with a past, into docs/screenshots/. Names choose pages: `npm run screenshots --
 * task`.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type DashboardFixture, startDashboard } from './dashboard-fixture.ts';
import { dashboardPages, seedDashboard, seedSettings } from './dashboard-seed.ts';
import { seedTaskHistory } from './seed-task-history.ts';

const folder =
  process.env.VIDGEN_SCREENSHOTS ?? join(import.meta.dirname, '../../docs/screenshots');
const widths = [1440, 390] as const;
const themes = ['light', 'dark'] as const;

const names = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const fixture = await startDashboard({ environment: seedSettings, engine: 'embedded' });
const seeded = await seedDashboard(fixture.service, (account) =>
  seedTaskHistory(fixture.service.db, { account }),
);
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
  await outside.page.goto('/dashboard/sign-in');
  await outside.page.getByRole('heading', { level: 1 }).waitFor();
  await outside.page.screenshot({ path: join(folder, `sign-in-${suffix}`), quality: 70 });
  await outside.context.close();
  const { page, open, context } = await administrator({ ...viewport, name: 'Ada Lovelace' });
  for (const [name, path] of pages) {
    await open(path);
    await page.waitForLoadState('networkidle');
    await page.screenshot({ path: join(folder, `${name}-${suffix}`), quality: 70, fullPage: true });
    process.stdout.write(`${name}-${suffix}\n`);
  }
  await context.close();
}
