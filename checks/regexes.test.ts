/**
 * No regular expression takes exponential or quadratic time.
 *
 * Thorough: builds an automaton for every expression; `npm run check` runs it too.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { testCheck } from './check-fixtures.ts';
import { ambiguityOf } from './regex-ambiguity.ts';
import { problemOf, regexProblems } from './regexes.ts';
import { isTestCode, readTree, root, sourceFiles } from './tree.ts';

/** Expressions are text, because the check reads this file too. */
const planted = {
  exponential: [
    [String.raw`^(<!--.*?-->\s*)*<svg`, 's'],
    ['^(a|a)*b'],
    ['^(a+)+$'],
    ['(?:a*)*b'],
    [String.raw`^(\w+\s?)*$`],
    ['^(a{1,2})*$'],
    ['^(?:.*?,)*x'],
    ['x(?=(a+)+b)'],
    ['^(?:a?){22}a{22}b'],
  ],
  quadratic: [
    [String.raw`[ \t]+$`],
    ['=+$'],
    [String.raw`\s*,`],
    ['^Bearer +(.+)$'],
    ['a.*b', 's'],
    ['(ab)*c'],
    ['^([ab]*)a*$'],
    [String.raw`http:[^?]{0,2100}\?`],
    [String.raw`^\s*x`, 'm'],
    ['(?<=c.*)b'],
  ],
  linear: [
    [String.raw`\s+`, 'g'],
    [String.raw`^\s*x`],
    [String.raw`^\s+$`],
    [String.raw`^(?:\d+,)*\d+$`],
    [String.raw`^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$`],
    ['^[^@]+@[^@]+$'],
    ['(a|b)+'],
    [String.raw`\s*,`, 'y'],
  ],
};

for (const [expected, expressions] of Object.entries(planted)) {
  for (const [source = '', flags = ''] of expressions) {
    test(`regexes: finds that /${source}/${flags} takes ${expected} time`, () => {
      assert.equal(ambiguityOf({ source, flags }), expected);
    });
  }
}

testCheck('regexes', regexProblems, [
  {
    rule: 'no expression takes quadratic or exponential time',
    files: {
      'server/storage/range.ts': "const trimmed = one.replace(/[ \\t]+$/g, '');",
      'server/materials/file-type.ts': 'if (/^(<!--.*?-->)*<svg/s.test(start)) f();',
    },
    problems: ['range.ts:1: /[ \\t]+$/g takes quadratic time', 'takes exponential time'],
  },
  {
    rule: 'tests match their own text in quadratic time, never in exponential time',
    files: {
      'server/storage/range.test.ts': 'assert.match(text, /a.*b/);\nassert.match(text, /^(a+)+$/);',
    },
    problems: ['range.test.ts:2: /^(a+)+$/ takes exponential time'],
  },
]);

test('regexes: an expression composed at run time takes linear time', async () => {
  const files = sourceFiles(readTree())
    .filter(([path]) => /^(server|contract|renderer)\//.test(path) && !isTestCode(path))
    .filter(([, text]) => text.includes('RegExp('))
    .map(([path]) => path);
  const composed: RegExp[] = [];
  const Original = globalThis.RegExp;
  globalThis.RegExp = new Proxy(Original, {
    construct(target, args, newTarget) {
      const expression = Reflect.construct(target, args, newTarget) as RegExp;
      // Our modules and not the libraries that they load.
      if (files.some((file) => new Error().stack?.includes(file))) composed.push(expression);
      return expression;
    },
  });
  try {
    for (const file of files) await import(join(root, file));
  } finally {
    globalThis.RegExp = Original;
  }
  assert.ok(composed.length >= files.length, 'not every file composed its expressions');
  assert.deepEqual(composed.map((one) => problemOf(one)).filter(Boolean), []);
});
