import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { generatedPages } from './generated-docs.ts';
import { root } from './tree.ts';

for (const { path, text } of generatedPages()) {
  test(`${path} is up to date (\`npm run docs\` writes it)`, () => {
    assert.equal(readFileSync(join(root, path), 'utf8'), text);
  });
}
