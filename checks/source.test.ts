import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileReferences, importsOf, linesMatching, readSource } from './source.ts';

const text = `import { readFileSync as read, type Stats } from 'node:fs';
import type { Row } from '../database/database.ts';
import './side-effect.ts';
import whole, { part } from 'package'; // from './comment.ts' 🌊
export { one } from './again.ts';
/* fetch( */
const worker = new Worker(new URL('./worker.ts', import.meta.url));
const later = await import('@vidgen/contract/models.ts');
const said = \`fetch( \${ask({ a: \`x\${fetch(1)}\` })} fetch(\`;
const pattern = /['"\`/*]fetch\\(/g, half = 4 / 2, third = half / 3;
fetch('it\\'s fetch(');
`;

test('code is found in code only, not in comments, strings, templates or expressions', () => {
  const source = readSource(text);
  assert.equal(source.code.length, text.length);
  assert.deepEqual(linesMatching(text, /\bfetch\(/g), [9, 11]);
  const [comment, other] = source.comments;
  assert.deepEqual(
    [comment!.line, other],
    [4, { value: '/* fetch( */', at: text.indexOf('/* f'), line: 6 }],
  );
  assert.deepEqual(
    source.regexes.map(({ value, line }) => [value, line]),
    [[`/['"\`/*]fetch\\(/g`, 10]],
  );
  assert.match(readSource("<b>it's fetch(</b>").code, /^<b> +<\/b>$/);
});

test('imports tell what they bring in at run time, and files are also named by their URL', () => {
  const imports = importsOf(text).map((one) => [one.specifier, one.typeOnly, one.names.join()]);
  assert.deepEqual(imports, [
    ['node:fs', false, 'readFileSync'],
    ['../database/database.ts', true, ''],
    ['./side-effect.ts', false, ''],
    ['package', false, ''],
    ['./again.ts', false, 'one'],
    ['@vidgen/contract/models.ts', false, ''],
  ]);
  assert.deepEqual(fileReferences(text).at(-1), { value: './worker.ts', line: 7 });
});
