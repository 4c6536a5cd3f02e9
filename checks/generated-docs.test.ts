import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { generatedPages, settingsPage } from './generated-docs.ts';
import { root } from './tree.ts';

for (const { path, text } of generatedPages()) {
  test(`${path} is up to date (\`npm run docs\` writes it)`, () => {
    assert.equal(readFileSync(join(root, path), 'utf8'), text);
  });
}

test('a setting is listed with its default and its description', () => {
  const page = settingsPage('# Intro\n\n# The port.\n# Any number.\n# PORT=8787\n# HOST=\n');
  assert.match(page, /^\| `PORT`, `HOST` \| `8787` \| The port\. Any number\. \|$/m);
});
