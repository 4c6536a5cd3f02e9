import { test } from 'node:test';
import { runTool } from './tool.ts';

// Two projects: what Node runs and what browsers run.
for (const project of ['.', 'dashboard']) {
  test(`the compiler has nothing to say about types (${project})`, async () => {
    await runTool('typescript/bin/tsc', ['--noEmit', '--pretty', 'false', '-p', project]);
  });
}
