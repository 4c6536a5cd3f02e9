/**
 * The reference page is self-contained: it loads nothing from other hosts and sends them nothing.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { ApiRequest, ApiServices } from '../http/handler.ts';
import { docsPage } from './docs-page.ts';
import { docsScript } from './docs-script.ts';

const services = { publicUrl: () => 'https://videos.example.com/vidgen' } as ApiServices;
const page = await docsPage.handler(services, {} as ApiRequest);
const html = page.text ?? '';
const policy = String(page.headers?.['content-security-policy']);

test('has relative URLs only, so it works below a path prefix', () => {
  const urls = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, url]) => url);
  assert.deepEqual(urls, ['data:,', 'openapi.json', 'docs/scalar.js']);
  assert.doesNotMatch(html, /https?:/);
});

test('allows its own script and the inline start script, and requests to this service only', () => {
  const [, inline = ''] = /<script>(.*?)<\/script>/s.exec(html) ?? [];
  const digest = createHash('sha256').update(inline).digest('base64');
  assert(policy.includes(`script-src 'self' 'sha256-${digest}'`));
  assert(policy.includes("default-src 'none'"));
  assert(policy.includes("connect-src 'self' https://videos.example.com;"));
  assert.doesNotMatch(policy, /unsafe-eval|script-src[^;]*unsafe-inline|\*/);
});

test('serves the script compressed if the client accepts it', async () => {
  const requestScript = (headers: ApiRequest['headers']) =>
    docsScript.handler(services, { headers } as ApiRequest);
  const packed = await requestScript({ 'accept-encoding': 'gzip, br' });
  const plain = await requestScript({});
  assert.equal(packed.headers?.['content-encoding'], 'gzip');
  assert.equal(plain.headers?.['content-encoding'], undefined);
  assert(packed.stream && plain.stream);
  const script = await buffer(plain.stream);
  assert(script.includes('createApiReference'));
  assert(gunzipSync(await buffer(packed.stream)).equals(script));
});
