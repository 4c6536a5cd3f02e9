/**
 * No secret of a service is in anything that others can read, however it is used and abused.
 * One engine: the database's password is part of it, and the embedded engine has none.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startPostgres, type TestServer } from '../../kit/postgres.ts';
import { testEngine } from '../../kit/scratch-database.ts';
import { leaksIn, newValue, spellingsOf } from './canaries.ts';
import { searchOnce } from './search.ts';

describe('a search', () => {
  const value = newValue();

  test('finds a secret in every spelling, also in the middle of something longer', () => {
    const canaries = [{ name: 'the secret', value }];
    const encoded = (encoding: 'base64' | 'base64url', before: string) =>
      Buffer.from(`${before}${value} and more`).toString(encoding);
    const texts = [
      `before ${value} after`,
      JSON.stringify({ said: JSON.stringify({ value }) }),
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
    assert(spellingsOf(value).size >= 12);
  });

  test('leaves alone what is told on purpose, there and nowhere else', () => {
    const canaries = [{ name: 'the secret', value, shownIn: /^POST \/keys / }];
    const recorded = ['POST /keys as operator: 201', 'GET /keys as operator: 200'].map((label) => ({
      label,
      text: value,
    }));
    const leaks = leaksIn(recorded, canaries);
    assert.equal(leaks.length, 1);
    assert.match(leaks[0]!, /^the secret stands plain in GET \/keys as operator: 200/);
  });

  test('finds nothing in what is somebody else’s', () => {
    const text = JSON.stringify({ at: newValue(), other: Buffer.from(newValue()).toString('hex') });
    assert.deepEqual(leaksIn([{ label: 'a text', text }], [{ name: 'the secret', value }]), []);
  });
});

describe('a service', { skip: testEngine !== 'postgres' && 'on PostgreSQL only' }, () => {
  let server: TestServer;
  before(async () => {
    server = await startPostgres();
  });
  after(() => server.stop());

  test('tells none of its secrets, used and abused, nor when it cannot start', async () => {
    const { secrets, texts, leaks } = await searchOnce({
      serverUrl: server.url,
      isBrief: true,
    });
    assert.deepEqual(leaks, []);
    assert(secrets >= 50 && texts >= 200, `${secrets} secrets in ${texts} texts`);
  });
});
