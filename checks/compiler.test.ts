import { test } from 'node:test';
import { runTool } from './tool.ts';

// Two projects: what Node runs and what browsers run. One thread, as the tests beside it use the
// other cores: several take a third more processor time.
for (const project of ['.', 'dashboard']) {
  test(`the compiler has nothing to say about types (${project})`, async () => {
    await runTool('typescript/bin/tsc', ['--singleThreaded', '-p', project]);
  });
}
