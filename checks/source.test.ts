import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileReferences, importsOf, linesMatching, readSource } from './source.ts';

const text = `import { readFileSync as read, type Stats } from 'node:fs';
import type { Row } from '../database/database.ts';
import './side-effect.ts';
import whole, { part } from 'package'; // from './comment.ts'
export { one } from './again.ts';
/* fetch( */
const worker = new Worker(new URL('./worker.ts', import.meta.url));
const later = await import('@vidgen/contract/models.ts');
const said = \`fetch( \${ask({ a: \`x\${fetch(1)}\` })} fetch(\`;
const pattern = /['"\`/*]fetch\\(/g, half = 4 / 2, third = half / 3;
fetch('it\\'s');
`;
const source = readSource(text);

test('every character keeps its place', () => {
  assert.equal(source.code.length, text.length);
  assert.equal(source.code.split('\n').length, text.split('\n').length);
});

test('code is found in code only, not in comments, strings, templates or expressions', () => {
  assert.deepEqual(linesMatching(source, /\bfetch\(/g), [9, 11]);
});

test('strings are read whole, with what they escape', () => {
  assert.ok(source.strings.some(({ value, line }) => value === "it\\'s" && line === 11));
});

test('files are named by every kind of import and by the URL of a worker', () => {
  assert.deepEqual(
    fileReferences(source).map(({ value, line }) => [value, line]),
    [
      ['../database/database.ts', 2],
      ['./side-effect.ts', 3],
      ['./again.ts', 5],
      ['./worker.ts', 7],
      ['@vidgen/contract/models.ts', 8],
    ],
  );
});

test('imports tell what they bring in at run time', () => {
  const imports = importsOf(source).map((one) => [one.specifier, one.typeOnly, one.names.join()]);
  assert.deepEqual(imports, [
    ['node:fs', false, 'readFileSync'],
    ['../database/database.ts', true, ''],
    ['./side-effect.ts', false, ''],
    ['package', false, ''],
    ['./again.ts', false, 'one'],
    ['@vidgen/contract/models.ts', false, ''],
  ]);
});

test('a comment is read where it stands', () => {
  assert.deepEqual(
    source.comments.map(({ value, line }) => [value, line]),
    [
      ["// from './comment.ts'", 4],
      ['/* fetch( */', 6],
    ],
  );
});

test('elements are read as code: what closes one is no regular expression', () => {
  const { code, strings } = readSource("<b>it's</b> <i x='y'>{f('./a.tsx')}</i>");
  assert.deepEqual(
    strings.map(({ value }) => value),
    ['y', './a.tsx'],
  );
  assert(code.endsWith('</i>'));
});
