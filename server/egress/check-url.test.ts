import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkUrl, type UrlKind, type UrlRules } from './check-url.ts';
import { parseNetworks } from './ip-address.ts';

type HostileUrl = { url: string; why: string; expect: 'accept' | 'reject'; layer: string };
const hostileUrls: HostileUrl[] = JSON.parse(
  readFileSync(new URL('./fixtures/hostile-urls.json', import.meta.url), 'utf8'),
);

const rules = (kind: UrlKind, allowed = ''): UrlRules => ({
  kind,
  allowedNetworks: parseNetworks(allowed),
});

/** Returns the broken rule, or the URL that would be requested. */
function verdict(text: string, kind: UrlKind = 'callback', allowed = ''): string {
  const result = checkUrl(text, rules(kind, allowed));
  return result.ok ? result.url.href : result.rule;
}
const isOk = (text: string, kind?: UrlKind, allowed?: string): boolean =>
  verdict(text, kind, allowed).startsWith('http');

test('rejects every hostile callback URL that is recognizable from its text', () => {
  const hostile = hostileUrls.filter(({ layer }) => layer === 'url');
  assert.equal(hostile.length, 150);
  for (const { url, why } of hostile) assert.ok(!isOk(url), `${why}: ${url}`);
});

test('accepts URLs that only DNS or the receiver can prove hostile', () => {
  const later = hostileUrls.filter(({ layer }) => layer !== 'url');
  for (const { url, why } of later) assert.ok(isOk(url), `${why}: ${verdict(url)}`);
});

test('rejects the same addresses, names and structures for materials and results', () => {
  const hostile = hostileUrls.filter(({ layer }) => layer === 'url');
  const plainHttp = 'http://hooks.example.com/hook';
  for (const kind of ['material', 'result'] as const) {
    for (const { url, why } of hostile) {
      // Materials and results may use plain http, and results may have a long signature.
      const isFine = url === plainHttp || (kind === 'result' && url.length > 2_048);
      assert.equal(isOk(url, kind), isFine, `${kind}, ${why}: ${url}`);
      if (!isFine) assert.ok(!isOk(url.replace(/^https:/, 'http:'), kind), `http, ${why}`);
    }
  }
});

test('says what to change and never repeats a password', () => {
  const messages: readonly (readonly [string, string])[] = [
    ['http://example.com/', 'must be an https URL'],
    ['data:image/png;base64,AAAA', 'must be an https URL'],
    [
      'https://10.0.0.1/',
      'must not point to a private, loopback, link-local or otherwise special address',
    ],
    ['https://u:s3cret@example.com/', 'must not contain a user name or password'],
    ['https://:s3cret@example.com/', 'must not contain a user name or password'],
    ['https://example.com:22/', 'must use port 443, or 1024 and up'],
    [
      'https://example.com:6379/',
      'must not use port 6379, which belongs to a database, cache, broker or container engine',
    ],
    ['https://localhost/', 'must have a public host name, not localhost'],
    ['https://metadata/', 'must have a public host name, not a single word'],
    ['https://hooks.internal/', 'must have a public host name, not one ending in .internal'],
    [' https://example.com/', 'must not contain spaces, control characters or backslashes'],
    ['https://0x5db8d70e/', 'must write its IP address as four decimal numbers'],
    ['https://%65xample.com/', 'must use plain characters in its host name'],
    ['https://{host}.example.com/', 'must have a valid host name'],
    [`https://example.com/${'a'.repeat(2_029)}`, 'must be at most 2,048 characters'],
  ];
  for (const [text, rule] of messages) assert.equal(verdict(text), rule, text);
  assert.equal(
    verdict('data:image/png;base64,AA', 'material'),
    'must be an http or https URL, or a base64 data URI',
  );
  assert.equal(
    verdict('http://example.com:22/', 'material'),
    'must use port 80 or 443, or 1024 and up',
  );
});

test('drops the fragment and keeps the rest of the URL, of up to 2,048 characters', () => {
  assert.ok(isOk(`https://example.com/${'a'.repeat(2_028)}`));
  assert.equal(verdict('https://Example.com:443/a%20b?c=d&e#f'), 'https://example.com/a%20b?c=d&e');
});

test('allows ports 443 and 1024 and up, 80 for materials, and no engine ports', () => {
  for (const kind of ['callback', 'material', 'result'] as const) {
    for (const port of [443, 1024, 3000, 8000, 8080, 8443, 9000, 65_535]) {
      assert.ok(isOk(`https://example.com:${port}/`, kind), `${kind} ${port}`);
    }
    const engines = [2375, 2376, 3306, 5432, 5672, 6379, 9200, 11_211, 27_017, 1433, 2379, 9092];
    for (const port of [...engines, 0, 22, 25]) {
      assert.ok(!isOk(`https://example.com:${port}/`, kind), `${kind} ${port}`);
      assert.ok(!isOk(`https://example.com:0${port}/`, kind), `${kind} 0${port}`);
    }
  }
  assert.ok(isOk('https://example.com:/') && isOk('https://example.com:00443/'));
  assert.ok(!isOk('https://example.com:80/') && isOk('http://example.com:80/', 'material'));
  assert.ok(
    !isOk('https://example.com:81/', 'material') && isOk('http://example.com:81/', 'result'),
  );
});

test('an allowed range exempts its literal addresses from scheme, port and address rules', () => {
  const allowed = '127.0.0.0/8, 10.1.0.0/16, fd00::/8';
  const allowedUrls = ['http://127.0.0.1:9/', 'http://10.1.2.3/', 'https://[fd12::1]:5432/'];
  allowedUrls.push('http://127.0.0.1:6379/', 'http://[fd00::1]:80/hook');
  for (const text of allowedUrls) {
    for (const kind of ['callback', 'material', 'result'] as const) {
      assert.ok(isOk(text, kind, allowed), `${kind} ${text}`);
      assert.ok(!isOk(text, kind), `${kind} ${text}, nothing allowed`);
    }
  }
  const blockedUrls = ['http://10.2.0.1/', 'https://10.2.0.1/', 'https://192.168.0.1/'];
  blockedUrls.push('http://93.184.215.14/', 'https://93.184.215.14:22/', 'https://[::1]/');
  blockedUrls.push('https://[::ffff:10.1.0.1]/', 'https://u@127.0.0.1/', 'https://0x7f.1/');
  blockedUrls.push('http://127.0.0.1:0/', 'ftp://127.0.0.1/');
  for (const text of blockedUrls) assert.ok(!isOk(text, 'callback', allowed), text);
});

test('localhost is allowed only if loopback is among the allowed ranges', () => {
  for (const allowed of ['127.0.0.0/8', '127.0.0.1/32', '::1/128', '0.0.0.0/0']) {
    assert.ok(isOk('http://localhost:3000/', 'callback', allowed), allowed);
    assert.ok(isOk('http://LOCALHOST.:6379/', 'material', allowed), allowed);
    // A name below localhost is a private name: the name is accepted, the other rules apply.
    assert.ok(isOk('https://a.localhost:3000/', 'callback', allowed), allowed);
    assert.ok(!isOk('http://a.localhost:3000/', 'callback', allowed), allowed);
  }
  for (const text of ['https://localhost/', 'https://a.localhost/']) {
    assert.ok(!isOk(text, 'callback', '10.0.0.0/8'), text);
  }
});

test('a private name is accepted if any range is allowed, under the rules for names', () => {
  for (const host of ['hooks.internal', 'receiver', 'a.svc.cluster.local', 'nas.home.arpa']) {
    assert.ok(isOk(`https://${host}:8443/`, 'callback', '10.0.0.0/8'), host);
    assert.ok(isOk(`http://${host}/`, 'material', '10.0.0.0/8'), host);
    assert.ok(!isOk(`http://${host}/`, 'callback', '10.0.0.0/8'), `http ${host}`);
    assert.ok(!isOk(`https://${host}:6379/`, 'callback', '10.0.0.0/8'), `port ${host}`);
    assert.ok(!isOk(`https://${host}:8443/`), `nothing allowed, ${host}`);
  }
});

test('rejects the prefixes of this machine, whatever range they belong to', () => {
  const own = { ownNetworks: parseNetworks('93.184.215.0/24') };
  assert.ok(!checkUrl('https://93.184.215.14/', { ...rules('callback'), ...own }).ok);
  assert.ok(checkUrl('https://93.184.216.14/', { ...rules('callback'), ...own }).ok);
  const allowed = { ...rules('callback', '93.184.215.14'), ...own };
  assert.ok(checkUrl('http://93.184.215.14/', allowed).ok);
});

test('never throws, whatever the text', () => {
  const texts = fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl(), fc.webAuthority());
  fc.assert(
    fc.property(texts, fc.constantFrom('', 'https://', 'http://', 'https://['), (text, start) => {
      verdict(start + text);
    }),
    { numRuns: 5_000 },
  );
});
