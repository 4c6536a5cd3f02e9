/** Messages from a schema's issues, for bodies other than create, which has its own tests. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { ChangeAccountRequest } from './account-controls.ts';
import { CreateApiKeyRequest, GrantCreditsRequest } from './admin-accounts.ts';
import { ConnectProviderRequest } from './admin-providers.ts';
import { formatPath, formatValue } from './format-value.ts';
import { formatProblems, problemsOf } from './problem.ts';
import { suggestName } from './suggest-name.ts';

const problemMessage = (schema: z.ZodObject, value: unknown) =>
  formatProblems(problemsOf(schema, value));

describe('a body', () => {
  const grant = { amount: 10, mode: 'live', note: 'Invoice 7' };
  const rows: [string, z.ZodObject, unknown, string][] = [
    ['that fits has no problem', GrantCreditsRequest, grant, ''],
    [
      'that is missing',
      GrantCreditsRequest,
      undefined,
      'the body must be a JSON object (got nothing)',
    ],
    [
      'with a part of an integer that may be null',
      ChangeAccountRequest,
      { running_max: 1.5 },
      'running_max must be an integer (got 1.5)',
    ],
    [
      'with too small a figure',
      ChangeAccountRequest,
      { low_balance: 0 },
      'low_balance must be at least 1 (got 0)',
    ],
    [
      'with too long a text',
      GrantCreditsRequest,
      { ...grant, reference: 'r'.repeat(300) },
      `reference must have at most 255 characters (got "${'r'.repeat(39)}…")`,
    ],
    [
      'with __proto__ among fixed names',
      ConnectProviderRequest,
      JSON.parse('{"name": "fal", "kind": "fal", "models": {"__proto__": "x"}}'),
      'models.__proto__ is not a known field',
    ],
    [
      'with NUL',
      GrantCreditsRequest,
      { ...grant, note: 'a\0b' },
      'note must be valid Unicode without NUL (got "a\\u0000b")',
    ],
    [
      'with a blank text',
      GrantCreditsRequest,
      { ...grant, note: ' ' },
      'note must not be empty (got " ")',
    ],
    [
      'with an empty list',
      CreateApiKeyRequest,
      { name: 'n', mode: 'test', permissions: [] },
      'permissions must contain at least 1 (got an empty array)',
    ],
    [
      'with a union that nothing fits',
      CreateApiKeyRequest,
      { name: 'n', mode: 'test', expires_at: true },
      'expires_at must be Unix seconds or an ISO 8601 time with a zone, such as ' +
        '2026-01-31T12:00:00Z (got true)',
    ],
    [
      'with one allowed word',
      z.strictObject({ status: z.literal('completed') }),
      { status: 'failed' },
      'status must be completed (got "failed")',
    ],
  ];
  for (const [name, schema, value, expected] of rows) {
    test(name, () => assert.equal(problemMessage(schema, value), expected));
  }

  test('a missing field is a rule and a wrong type is a shape', () => {
    const problems = problemsOf(GrantCreditsRequest, { amount: '1', mode: 1 });
    assert.deepEqual(
      problems.map(({ kind, path }) => [kind, path]),
      [
        ['shape', 'amount'],
        ['shape', 'mode'],
        ['rule', 'note'],
      ],
    );
  });
});

describe('a value in a message', () => {
  const rows: [unknown, string][] = [
    ['plain', '"plain"'],
    ['"quoted" \\ back', '"\\"quoted\\" \\\\ back"'],
    ['a\nb\u2028c\u200b', '"a\\u000ab\\u2028c\\u200b"'],
    ['x'.repeat(41), `"${'x'.repeat(39)}…"`],
    ['😀'.repeat(41), `"${'😀'.repeat(39)}…"`],
    [undefined, 'nothing'],
    [Number.NaN, 'NaN'],
    [[1], 'an array'],
    [{}, 'an object'],
  ];
  for (const [value, expected] of rows) {
    test(expected, () => assert.equal(formatValue(value), expected));
  }
});

test('formats a path as a person would write it', () => {
  assert.equal(formatPath(['input', 'image_urls', 2]), 'input.image_urls[2]');
  assert.equal(formatPath(['input', 'a b']), 'input["a b"]');
  assert.equal(formatPath(['x'.repeat(50)]), `["${'x'.repeat(39)}…"]`);
});

describe('the nearest name', () => {
  const fields = ['prompt', 'duration', 'image_urls'].map((name) => `input.${name}`);
  const candidates = ['model', 'callback_url', 'input', ...fields];
  const rows: [string, string | null][] = [
    ['modle', 'model'],
    ['imageUrl', 'input.image_urls'],
    ['IMAGE-URLS', 'input.image_urls'],
    ['duration_seconds', 'input.duration'],
    ['image', 'input.image_urls'],
    ['size', null],
    ['negative_prompt', null],
    ['', null],
    ['x'.repeat(100_000), null],
  ];
  for (const [name, suggestion] of rows) {
    test(`of ${formatValue(name)} is ${suggestion}`, () => {
      assert.equal(suggestName(name, candidates), suggestion);
    });
  }
});
