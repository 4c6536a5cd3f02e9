import assert from 'node:assert/strict';
import { test } from 'node:test';
import { digestCode, generateCode, parseCode } from './code-format.ts';

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const bodyOf = (code: string) => code.slice(3).replaceAll('-', '');

test('a code is VG and five groups of four, and codes are unique', () => {
  const codes = Array.from({ length: 500 }, generateCode);
  for (const code of codes) {
    assert.match(code, /^VG(-[0-9A-HJKMNP-TV-Z]{4}){5}$/);
    assert.equal(parseCode(code), code);
  }
  assert.equal(new Set(codes).size, codes.length);
});

test('ignores case, dashes and spaces and maps look-alike letters', () => {
  const code = generateCode();
  const body = bodyOf(code);
  const variants = [
    code.toLowerCase(),
    code.replaceAll('-', ''),
    code.replaceAll('-', ' '),
    ` ${code}\n`,
    code.replaceAll('-', '\u2013'),
    body,
    body.toLowerCase().replaceAll('0', 'o').replaceAll('1', 'l'),
    code.replaceAll('0', 'O').replaceAll('1', 'I'),
  ];
  for (const variant of variants) assert.equal(parseCode(variant), code, variant);
});

test('detects any single wrong character and any two swapped ones', () => {
  for (let round = 0; round < 20; round++) {
    const body = bodyOf(generateCode());
    for (let at = 0; at < body.length; at++) {
      for (const other of alphabet.replace(body[at]!, '')) {
        const mistyped = body.slice(0, at) + other + body.slice(at + 1);
        assert.equal(parseCode(mistyped), null, mistyped);
      }
      for (let to = at + 1; to < body.length; to++) {
        if (body[at] === body[to]) continue;
        const letters = [...body];
        [letters[at], letters[to]] = [letters[to]!, letters[at]!];
        assert.equal(parseCode(letters.join('')), null);
      }
    }
  }
});

test('returns null for anything that is not a code', () => {
  for (const text of [
    '',
    'VG',
    'VG-',
    'hello',
    '*'.repeat(20),
    bodyOf(generateCode()).slice(1),
    '💸',
  ]) {
    assert.equal(parseCode(text), null, text);
  }
});

test('a digest depends on the code and on the installation', () => {
  const code = generateCode();
  const pepper = Buffer.from('one');
  assert.match(digestCode(code, pepper), /^[0-9a-f]{64}$/);
  assert.equal(digestCode(code, pepper), digestCode(code, pepper));
  assert.notEqual(digestCode(code, pepper), digestCode(code, Buffer.from('two')));
  assert.notEqual(digestCode(code, pepper), digestCode(generateCode(), pepper));
});
