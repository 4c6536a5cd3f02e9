import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beginningOf, isOneWay, isRightToLeft, tidied } from './text.ts';

test('what cannot be seen, turns the direction or piles up is taken out', () => {
  const rows = {
    'two\nlines\tand  spaces ': 'two lines and spaces',
    'a\u0007b\u202e\u2066c\u2069': 'a b c',
    'half \ud83c of': 'half of',
    'zero\u200bwidth soft\u00adhyphen \u200d end\ufeff': 'zerowidth softhyphen end',
    'non\u2011breaking\u2010hyphen': 'non-breaking-hyphen',
    [`z${'\u0301'.repeat(500)}algo`]: 'ź\u0301\u0301\u0301\u0301algo',
    'e\u0301te\u0301': 'été',
    '\u3164\u2800': '',
  };
  for (const [text, expected] of Object.entries(rows)) assert.equal(tidied(text), expected);
});

test('what joins letters and emoji stays', () => {
  for (const text of ['کتاب‌ها', 'र्‍क', '🏄‍♀️ ❤️', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '10\u00a0000 « mots »', 'שָׁלוֹם']) {
    assert.equal(tidied(text), text.normalize('NFC'));
  }
});

test('ten thousand characters are a beginning of them', () => {
  for (const prompt of [
    'a word, and another. '.repeat(480),
    'x'.repeat(10_000),
    '海'.repeat(10_000),
  ]) {
    const { text, goesOn } = beginningOf(prompt);
    assert.ok(prompt.startsWith(text) && text.length <= 400 && goesOn);
  }
  assert.deepEqual(beginningOf(`  ${'Dawn'.padEnd(9_000)}`), { text: 'Dawn', goesOn: false });
  assert.equal(beginningOf('👩‍👩‍👧‍👦'.repeat(500)).text, '👩‍👩‍👧‍👦'.repeat(400).slice(0, 1600));
});

test('a text that cannot be shown is not begun', () => {
  assert.deepEqual(beginningOf('\u{13000}\u{13001}\u{13002} a'), { text: '', goesOn: false });
  assert.deepEqual(beginningOf('\u200f'), { text: '', goesOn: false });
});

test('the first letter says from where a text is read', () => {
  for (const text of ['مدينة', '25 סירות', '(“שלום” world)', '🌊 مرحبا']) {
    assert.ok(isRightToLeft(text), text);
  }
  for (const text of ['', '25', 'A café called שלום', '城市', '🌊']) {
    assert.ok(!isRightToLeft(text), text);
  }
});

test('a line goes one way when nothing in it goes the other', () => {
  assert.ok(isOneWay('A calm sea, 25 boats!', { rightToLeft: false }));
  assert.ok(!isOneWay('A café called שלום', { rightToLeft: false }));
  assert.ok(isOneWay('مدينة ساحلية، (عند) الغروب!', { rightToLeft: true }));
  assert.ok(!isOneWay('مدينة Vidgen', { rightToLeft: true }));
  assert.ok(!isOneWay('25 סירות', { rightToLeft: true }));
});
