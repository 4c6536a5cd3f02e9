/**
 * No secret of a service is in any text that others can read, after normal use and after attacks.
 * Thorough: a sample of a long fault test.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runsOr } from '../fault-test.ts';
import { encodingsOf, leaksIn, newValue } from './canaries.ts';
import { searchOnce } from './search.ts';
import { searchSuite } from './suite.ts';

/** Secrets; without `RUNS` one brief search. */
const runs = runsOr(0);

describe('the search', () => {
  const value = newValue();

  test('finds a secret in every encoding, also inside a longer text', () => {
    const canaries = [{ name: 'the secret', value }];
    const encoded = (encoding: 'base64' | 'base64url', before: string) =>
      Buffer.from(`${before}${value} and more`).toString(encoding);
    const texts = [
      `before ${value} after`,
      JSON.stringify({ quoted: JSON.stringify({ value }) }),
      `https://example.com/?a=${encodeURIComponent(value)}&b=c`,
      new URLSearchParams({ value }).toString(),
      Buffer.from(value).toString('hex'),
      ...['', 'a', 'ab', 'user:'].flatMap((before) => [
        encoded('base64', before),
        encoded('base64url', before),
      ]),
    ];
    for (const text of texts) {
      assert.equal(leaksIn([{ label: 'a text', text }], canaries).length, 1, text);
    }
    assert(encodingsOf(value).size >= 12);
  });

  test('allows a secret only in the responses that show it on purpose', () => {
    const canaries = [{ name: 'the secret', value, shownIn: /^POST \/keys / }];
    const recorded = ['POST /keys as operator: 201', 'GET /keys as operator: 200'].map((label) => ({
      label,
      text: value,
    }));
    const leaks = leaksIn(recorded, canaries);
    assert.equal(leaks.length, 1);
    assert.match(leaks[0]!, /^the secret is plain in GET \/keys as operator: 200/);
  });

  test('finds nothing in other values', () => {
    const text = JSON.stringify({ at: newValue(), other: Buffer.from(newValue()).toString('hex') });
    assert.deepEqual(leaksIn([{ label: 'a text', text }], [{ name: 'the secret', value }]), []);
  });
});

test('no response, log or table shows a secret, also after a failed start', async () => {
  let found = 0;
  do {
    const { secrets, texts, leaks } = await searchOnce({ isBrief: runs === 0 });
    assert.deepEqual(leaks, []);
    assert(secrets >= 50 && texts >= 200, `${secrets} secrets in ${texts} texts`);
    found += secrets;
  } while (found < runs);
});

test('the logs of a part of the test suite show no secret', { skip: runs === 0 }, async (t) => {
  const { leaks, note } = await searchSuite(t.signal);
  t.diagnostic(note);
  assert.deepEqual(leaks, []);
});
