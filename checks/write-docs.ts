/** `npm run docs`: writes the generated pages of docs/. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generatedPages } from './generated-docs.ts';
import { root } from './tree.ts';

for (const { path, text } of generatedPages()) {
  writeFileSync(join(root, path), text);
  process.stdout.write(`${path} is written\n`);
}
