import { test } from 'node:test';
import { runTool } from './tool.ts';

test('Biome has nothing to say about form or lint (`npm run format` mends most)', async () => {
  await runTool('@biomejs/biome/bin/biome', ['check', '--error-on-warnings', '--colors=off']);
});
