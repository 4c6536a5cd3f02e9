/**
 * The types of both projects, of what Node runs and of what browsers run, have no error.
 *
 * Thorough: takes twenty seconds of a core; `npm run check` runs it too, and editors show the same.
 */
import { test } from 'node:test';
import { runTool } from './tool.ts';

// One thread, as the tests beside it use the other cores: several take a third more processor time.
for (const project of ['.', 'dashboard']) {
  test(`the compiler has nothing to say about types (${project})`, async () => {
    await runTool('typescript/bin/tsc', ['--singleThreaded', '-p', project]);
  });
}
