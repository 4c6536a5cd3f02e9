/**
 * knip finds no unused file and no unused export.
 *
 * Thorough: reads the whole project twice; `npm run check` runs it too.
 */
import { test } from 'node:test';
import { runTool } from './tool.ts';

const knip = 'knip/bin/knip.js';
const unusedExports = ['--include', 'files,exports,types,duplicates'];
/** A file that only its own test imports is unused too. */
const unusedFiles = ['--production', '--include', 'files'];

test('every export is used', async () => {
  await runTool(knip, ['--no-progress', '--no-config-hints', ...unusedExports]);
});

test('every file is used by more than its test', async () => {
  await runTool(knip, ['--no-progress', '--no-config-hints', ...unusedFiles]);
});
