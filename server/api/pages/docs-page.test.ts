/**
 * The reference page is self-contained: it loads nothing from other hosts and sends them nothing.
 */
import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { pluck } from '../../../proof/kit/pluck.ts';
import type { ApiRequest, ApiServices } from '../http/handler.ts';
import { docsPage, docsScript } from './docs-page.ts';
import { documentFor, isAdminFragment } from './site/customer-document.mjs';

type ApiDocument = Parameters<typeof documentFor>[0];

const services = { publicUrl: () => 'https://videos.example.com/vidgen' } as ApiServices;
const page = await docsPage.handler(services, {} as ApiRequest);
const html = page.text ?? '';
const policy = String(page.headers?.['content-security-policy']);

test('has relative URLs only, so it works below a path prefix', () => {
  const urls = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, url]) => url!);
  assert(urls.length > 5 && urls.every((url) => /^[a-z]/.test(url)), String(urls));
  assert(urls.includes('docs/scalar.js') && urls.includes('openapi.json'));
  assert.doesNotMatch(html, /https?:/);
});

test('allows scripts of this service only, none inline, and requests to this service only', () => {
  assert.doesNotMatch(html, /<script>|\son\w+=/);
  assert(policy.includes("default-src 'none'; script-src 'self';"));
  assert(policy.includes("connect-src 'self' https://videos.example.com;"));
  assert.doesNotMatch(policy, /unsafe-eval|script-src[^;]*unsafe-inline|\*/);
});

const refersTo = (name: string) => ({ $ref: `#/components/schemas/${name}` });

const wholeDocument = (): ApiDocument => ({
  info: { title: 'Video Generation Service', description: 'For customers.' },
  tags: ['Videos', 'Accounts', 'Service'].map((name) => ({ name })),
  'x-tagGroups': [
    { name: 'Video API', tags: ['Videos'] },
    { name: 'Operations', tags: ['Accounts', 'Service'] },
  ],
  paths: {
    '/v1/videos/generations': { post: { tags: ['Videos'], ...refersTo('Create') } },
    '/admin/accounts': { get: { tags: ['Accounts'] }, post: { tags: ['Accounts'] } },
    '/healthz': { get: { tags: ['Service'] } },
  },
  webhooks: {},
  components: {
    schemas: { Create: refersTo('Input'), Input: {}, Account: {} },
    securitySchemes: { apiKey: {}, adminToken: {}, session: {} },
  },
});

test('opens on the endpoints for customers; the switch shows the others', () => {
  const forCustomers = documentFor(wholeDocument(), { isAdmin: false });
  assert.deepEqual(Object.keys(forCustomers.paths), ['/v1/videos/generations']);
  assert.deepEqual(forCustomers.tags, [{ name: 'Videos' }]);
  assert.deepEqual(pluck(forCustomers['x-tagGroups'], 'name'), ['Video API']);
  assert.equal(forCustomers.info.description, 'For customers.');
  assert.deepEqual(Object.keys(forCustomers.components.schemas), ['Create', 'Input']);
  assert.deepEqual(Object.keys(forCustomers.components.securitySchemes), ['apiKey']);
  const forAdmins = documentFor(wholeDocument(), { isAdmin: true });
  assert.deepEqual(Object.keys(forAdmins.paths), ['/admin/accounts', '/healthz']);
  assert.equal(forAdmins.webhooks, undefined);
  assert.match(html, /<a href="docs" aria-current="page">API<\/a><a href="docs\?admin"/);
});

test('a link to an endpoint for administrators opens on their side', () => {
  assert(isAdminFragment('#tag/accounts/post/admin/accounts'));
  assert(isAdminFragment('#tag/api-keys'));
  for (const hash of ['', '#tag/videos/post/v1', '#description/keys'])
    assert(!isAdminFragment(hash));
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
