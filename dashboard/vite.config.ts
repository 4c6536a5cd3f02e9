/**
 * The build of the dashboard. URLs are relative, so that it works under any path of a proxy.
 * Nothing is inlined, because the Content Security Policy of the page forbids inline code.
 */
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** What a first visit needs, in two chunks: rarely changed libraries, and the shell. */
const libraries = /node_modules\/(react|react-dom|scheduler|@tanstack|use-sync-external-store)\//;
const shell = new RegExp(
  [
    'dashboard/src/(routes|shell/theme|components/text)\\.',
    'dashboard/src/playground/(playground-queries|snippets|task-history)\\.',
    'dashboard/src/components/(code|form|page|states|task-badges)\\.',
    '@mantine/(notifications|core/esm/core)/',
    '@mantine/core/esm/components/(Card|FocusTrap|Input|InputBase|Progress|TextInput)/',
  ].join('|'),
);
/** What pages about videos need, and what most pages need. */
const videos = /dashboard\/src\/(playground|tasks)\/|components\/files\./;
const parts = /@mantine\/|components\/(filters|list-table)/;

export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [react()],
  build: {
    // `bundle.test.ts` reads it.
    manifest: true,
    license: { fileName: 'third-party-notices.txt' },
    sourcemap: false,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The first versions with `light-dark()`, whose fallback for older ones does not work.
    target: ['chrome123', 'edge123', 'firefox121', 'safari17.5'],
    chunkSizeWarningLimit: 600,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'libraries', test: libraries },
            { name: 'shell', test: shell },
            // Loaded together, once code is shown.
            { name: 'highlight', test: /node_modules\/@?shiki/ },
            { name: 'videos', test: videos, minShareCount: 2 },
            { name: 'parts', test: parts, minShareCount: 12 },
          ],
        },
      },
    },
  },
});
