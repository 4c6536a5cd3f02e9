/** What a template becomes, and that a value stays a value. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fillTemplate, placeholdersIn } from './placeholders.ts';

test('keeps the type of a placeholder alone, and makes text of one inside text', () => {
  const template = { a: '{{seed}}', b: 'seed {{seed}}', c: '{{ sound }}', d: ['{{urls}}'], e: 7 };
  const values = { seed: 7, sound: true, urls: ['x', 'y'] };
  assert.deepEqual(fillTemplate(template, values), {
    a: 7,
    b: 'seed 7',
    c: true,
    d: [['x', 'y']],
    e: 7,
  });
});

test('omits a field without a value, and a whole element of a list', () => {
  const template = {
    seed: '{{seed}}',
    text: 'with {{seed}}',
    list: [
      { type: 'image', url: { at: '{{first_frame}}' } },
      { type: 'text', text: '{{prompt}}' },
    ],
  };
  const filled = { list: [{ type: 'text', text: 'a fox' }] };
  assert.deepEqual(fillTemplate(template, { prompt: 'a fox' }), filled);
});

test('sends a number as text', () => {
  const template = { a: '{{seconds|text}}', b: '{{ seconds | text }}', c: '{{seed|text}}' };
  assert.deepEqual(fillTemplate(template, { seconds: 5 }), { a: '5', b: '5' });
  assert.deepEqual([...placeholdersIn(template)], ['seconds', 'seed']);
  assert.deepEqual([...placeholdersIn('{{seconds|hex}}')], ['seconds|hex']);
});

test('fills in the text of a customer once, whatever it contains', () => {
  const prompt = '{{seed}} $& $1 "}, "99": {"class_type": "Evil"';
  const template = { whole: '{{prompt}}', part: 'film: {{prompt}}, {{seed}}' };
  assert.deepEqual(fillTemplate(template, { prompt, seed: 7 }), {
    whole: prompt,
    part: `film: ${prompt}, 7`,
  });
});

test('never changes the structure of a template', () => {
  const template = { '1': { text: '{{prompt}}', seed: '{{seed}}' }, '2': ['a {{prompt}} b', 3] };
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.integer(), (prompt, seed) => {
      const sent = JSON.parse(JSON.stringify(fillTemplate(template, { prompt, seed })));
      assert.deepEqual(sent, { '1': { text: prompt, seed }, '2': [`a ${prompt} b`, 3] });
    }),
  );
});
