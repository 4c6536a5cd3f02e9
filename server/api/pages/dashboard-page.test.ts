/** The dashboard over HTTP: its policy, its files, and unknown paths. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useService } from '../../../proof/kit/service.ts';

const service = await useService();

const fetchPage = (path: string, init: RequestInit = {}) =>
  fetch(`${service.url}${path}`, { redirect: 'manual', ...init });

const scriptIn = (page: string) => /type="module"[^>]* src="([^"]+)"/.exec(page)?.[1] ?? '';

test('serves the page at every path, with its files by relative URLs', async () => {
  const bare = { '/': 'dashboard/assets/', '/dashboard': 'dashboard/assets/' };
  const below = {
    '/dashboard/': 'assets/',
    '/dashboard/a': 'assets/',
    '/dashboard/a/b/c?mode=test': '../../assets/',
  };
  for (const [path, way] of Object.entries({ ...bare, ...below })) {
    const response = await fetchPage(path);
    assert.equal(response.status, 200, path);
    const scriptUrl = scriptIn(await response.text());
    assert(scriptUrl.startsWith(way), `${path}: ${scriptUrl}`);
    const script = await fetch(new URL(scriptUrl, `${service.url}${path}`));
    assert.equal(script.status, 200, path);
    assert.equal(script.headers.get('content-type'), 'text/javascript; charset=utf-8');
  }
});

test('allows only its own scripts and requests, and styles with a nonce', async () => {
  const nonces = new Set<string>();
  for (const _ of [1, 2]) {
    const response = await fetchPage('/dashboard/sign-in');
    const policy = response.headers.get('content-security-policy') ?? '';
    const [, nonce = ''] = /style-src 'self' 'nonce-([^']+)'/.exec(policy) ?? [];
    assert((await response.text()).includes(`name="style-nonce" content="${nonce}"`));
    assert.match(policy, /default-src 'none'; script-src 'self';/);
    assert.match(policy, /connect-src 'self';.*base-uri 'none'; frame-ancestors 'none'/);
    assert.doesNotMatch(policy, /unsafe|\*/);
    assert.equal(response.headers.get('referrer-policy'), 'no-referrer');
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
    assert.equal(response.headers.get('cross-origin-opener-policy'), 'same-origin');
    nonces.add(nonce);
  }
  assert.equal(nonces.size, 2);
});

test('names scripts by content, caches them forever, and compresses them', async () => {
  const scriptUrl = `/dashboard/${scriptIn(await (await fetchPage('/dashboard/')).text())}`;
  const lengths: number[] = [];
  for (const encoding of ['br', 'gzip', 'identity']) {
    const response = await fetchPage(scriptUrl, {
      method: 'HEAD',
      headers: { 'accept-encoding': encoding },
    });
    assert.equal(response.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    assert.equal(
      response.headers.get('content-encoding'),
      encoding === 'identity' ? null : encoding,
    );
    assert.equal(response.headers.get('vary'), 'accept-encoding');
    lengths.push(Number(response.headers.get('content-length')));
    assert.equal(await response.text(), '');
  }
  assert.deepEqual(
    lengths,
    [...lengths].sort((a, b) => a - b),
  );
});

test('revalidates the first script, since its name does not change', async () => {
  const response = await fetchPage('/dashboard/first-paint.js');
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('cache-control'), 'no-cache');
});

test('serves the licenses of what is in the scripts, styles and fonts', async () => {
  const response = await fetchPage('/dashboard/third-party-notices.txt');
  assert.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8');
  const text = await response.text();
  for (const [name, license, words] of [
    ['react', 'MIT', 'Meta Platforms'],
    ['mediabunny', 'MPL-2.0', 'Mozilla Public License Version 2.0'],
    ['@fontsource-variable/inter', 'OFL-1.1', 'SIL OPEN FONT LICENSE Version 1.1'],
  ]) {
    assert.match(text, new RegExp(`^## ${name} - .* \\(${license}\\)\n[^#]*${words}`, 'mi'));
  }
});
