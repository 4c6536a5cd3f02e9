/**
 * The dashboard over HTTP: its policy, its files, and what is not there.
 * One engine: the subject is files and headers.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startService, type TestService } from '../../proof/kit/service.ts';

let service: TestService;
before(async () => {
  service = await startService();
});
after(() => service.close());

const ask = (path: string, init: RequestInit = {}) =>
  fetch(`${service.url}${path}`, { redirect: 'manual', ...init });

const scriptIn = (page: string) => /type="module"[^>]* src="([^"]+)"/.exec(page)?.[1] ?? '';

test('answers every address with the page, and its files by their way from there', async () => {
  const bare = { '/': 'dashboard/assets/', '/dashboard': 'dashboard/assets/' };
  const below = {
    '/dashboard/': 'assets/',
    '/dashboard/a': 'assets/',
    '/dashboard/a/b/c?mode=test': '../../assets/',
  };
  for (const [path, way] of Object.entries({ ...bare, ...below })) {
    const answer = await ask(path);
    assert.equal(answer.status, 200, path);
    const address = scriptIn(await answer.text());
    assert(address.startsWith(way), `${path}: ${address}`);
    const script = await fetch(new URL(address, `${service.url}${path}`));
    assert.equal(script.status, 200, path);
    assert.equal(script.headers.get('content-type'), 'text/javascript; charset=utf-8');
  }
});

test('may run and ask only what is its own, and style with a nonce new each time', async () => {
  const nonces = new Set<string>();
  for (const _ of [1, 2]) {
    const answer = await ask('/dashboard/sign-in');
    const policy = answer.headers.get('content-security-policy') ?? '';
    const [, nonce = ''] = /style-src 'self' 'nonce-([^']+)'/.exec(policy) ?? [];
    assert((await answer.text()).includes(`name="style-nonce" content="${nonce}"`));
    assert.match(policy, /default-src 'none'; script-src 'self';/);
    assert.match(policy, /connect-src 'self';.*base-uri 'none'; frame-ancestors 'none'/);
    assert.doesNotMatch(policy, /unsafe|\*/);
    assert.equal(answer.headers.get('referrer-policy'), 'no-referrer');
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
    assert.equal(answer.headers.get('cross-origin-opener-policy'), 'same-origin');
    nonces.add(nonce);
  }
  assert.equal(nonces.size, 2);
});

test('names a script by its content, keeps it for ever, and sends it small', async () => {
  const address = `/dashboard/${scriptIn(await (await ask('/dashboard/')).text())}`;
  const lengths: number[] = [];
  for (const encoding of ['br', 'gzip', 'identity']) {
    const answer = await ask(address, { method: 'HEAD', headers: { 'accept-encoding': encoding } });
    assert.equal(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    assert.equal(answer.headers.get('content-encoding'), encoding === 'identity' ? null : encoding);
    assert.equal(answer.headers.get('vary'), 'accept-encoding');
    lengths.push(Number(answer.headers.get('content-length')));
    assert.equal(await answer.text(), '');
  }
  assert.deepEqual(
    lengths,
    [...lengths].sort((a, b) => a - b),
  );
});

test('has no file but its own', async () => {
  const others = ['none.js', '..%2f..%2fpackage.json', '..%2findex.html', '.vite/manifest.json'];
  for (const name of others) {
    const answer = await ask(`/dashboard/assets/${name}`);
    const body = await answer.text();
    assert.equal(answer.status, 404, name);
    assert.equal(JSON.parse(body).error.code, 'not_found', name);
  }
  // Not a file of the build, so an address of a page: it shows that there is nothing there.
  const page = await ask('/dashboard/.vite/manifest.json');
  assert.match(await page.text(), /^<!doctype html>/);
});

test('loads the script of the first paint anew, since its name does not change', async () => {
  const answer = await ask('/dashboard/first-paint.js');
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('cache-control'), 'no-cache');
});
