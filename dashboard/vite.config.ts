/**
 * The build of the dashboard. URLs are relative, so that it works under any path of a proxy.
 * Nothing is inlined, because the Content Security Policy of the page forbids inline code.
 */
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** What a first visit needs, in two chunks: rarely changed libraries, and the shell. */
const libraries = /node_modules\/(react|react-dom|scheduler|@tanstack|use-sync-external-store)\//;
const components = [
  ...['ActionIcon', 'Alert', 'Anchor', 'Badge', 'Box', 'Burger', 'Button', 'Center', 'CloseButton'],
  ...['Collapse', 'CopyButton', 'FloatingIndicator', 'Group', 'Kbd', 'Loader', 'NavLink', 'Paper'],
  ...['SegmentedControl', 'SimpleGrid', 'Skeleton', 'Stack', 'Text', 'Title', 'Transition'],
  ...['UnstyledButton', 'VisuallyHidden'],
];
const componentFiles = [
  ...['copy-button', 'empty-state', 'error-notice', 'format', 'links', 'page-header', 'skeletons'],
  ...['task-badges', 'timestamp', 'toast'],
];
const base = new RegExp(
  [
    `@mantine/core/esm/(core|components/(${components.join('|')}))/`,
    'node_modules/clsx/',
    'dashboard/src/api/',
    // Loaded later.
    'dashboard/src/shell/(?!confirm-session)',
    `dashboard/src/components/(${componentFiles.join('|')})\\.`,
  ].join('|'),
);

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
            { name: 'base', test: base },
          ],
        },
      },
    },
  },
});
