import { test } from 'node:test';
import { runTool } from './tool.ts';

test('the compiler has nothing to say about types', async () => {
  await runTool('typescript/bin/tsc', ['--noEmit', '--pretty', 'false', '-p', '.']);
});
