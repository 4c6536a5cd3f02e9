/** The guides are complete: every link works, and pages load scripts of this service only. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { useService } from '../../../proof/kit/service.ts';
import { readGuides } from './guides.ts';
import { guidePage } from './guides-page.ts';

const guides = await readGuides('https://videos.example.com');
const paths = guides.map(({ path }) => path);

const service = await useService({ environment: { VIDGEN_ROLE: 'api' } });

async function get(path: string, method = 'GET') {
  const response = await fetch(`${service.url}${path}`, { method });
  const { status, headers } = response;
  return { status, headers, text: await response.text() };
}

test('each has a page and Markdown, with the URL of this installation', async () => {
  for (const name of paths) {
    const page = await get(`/${name}`);
    assert.equal(page.status, 200);
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
    const policy = page.headers.get('content-security-policy') ?? '';
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/);
    assert.doesNotMatch(policy, /unsafe|\*|https?:/);
    assert.doesNotMatch(page.text, /<script>|<style|\son\w+=|\sstyle=|vg_(live|test)_\w/i);
    assert.match(page.text, /^<!doctype html>\n<html lang="en">/);
    const source = await get(`/${name}.md`);
    assert.equal(source.headers.get('content-type'), 'text/markdown; charset=utf-8');
    assert.match(source.text, /^# /);
    for (const { text } of [page, source]) {
      if (name.startsWith('guides/')) assert(!text.includes('127.0.0.1:8787'), name);
    }
    assert.equal((await get(`/${name}`, 'HEAD')).text, '');
  }
  assert((await get('/guides/quick-start.md')).text.includes(`${service.url}/v1/videos`));
});

test('every link on every page works, fragments too', async () => {
  const pages = ['/guides', '/guides?q=webhook', ...paths.map((path) => `/${path}`)];
  const seen = new Map<string, string>();
  const load = async (path: string) => {
    if (!seen.has(path)) {
      const { status, text } = await get(path);
      assert.equal(status, 200, path);
      seen.set(path, text);
    }
    return seen.get(path)!;
  };
  for (const path of pages) {
    for (const [, href] of (await load(path)).matchAll(/<a [^>]*href="([^"]+)"/g)) {
      const { origin, pathname, hash } = new URL(href!, service.url + path);
      // Other hosts, or the dashboard, which is built separately.
      if (origin !== service.url || /^\/(dashboard)?$/.test(pathname)) continue;
      const text = await load(pathname);
      if (hash !== '') assert(text.includes(`id="${hash.slice(1)}"`), `${path}: ${href}`);
    }
  }
  assert(seen.has('/docs'));
});

test('highlights code without changing it', async () => {
  const markdown = (await get('/guides/quick-start.md')).text;
  const { text: html } = await get('/guides/quick-start');
  const blocks = [...markdown.matchAll(/^```\S[^\n]*\n(.*?)\n```$/gms)].map(([, code]) => code);
  const shown = [...html.matchAll(/<pre[^>]*><code>(.*?)<\/code><\/pre>/gs)].map(([, code]) =>
    code!.replace(/<[^>]+>/g, '').replace(/&#(\d+);/g, (_, one) => String.fromCharCode(one)),
  );
  assert.deepEqual(shown, blocks);
  assert.match(html, /<span class="k">const<\/span>/);
  assert.match(html, /<span class="k">import<\/span>/);
});

test('styles and scripts are kept by browsers until they change', async () => {
  const { text } = await get('/guides');
  const urls = [...text.matchAll(/(?:href|src)="(docs\/assets\/[^"]+)"/g)].map(([, url]) => url!);
  assert.equal(urls.length, 4);
  for (const url of urls) {
    const asset = await get(`/${url}`);
    assert.equal(asset.headers.get('cache-control'), 'public, max-age=31536000, immutable', url);
    const other = await get(`/${url.replace(/\?.*/, '?v=old')}`);
    assert.equal(other.headers.get('cache-control'), 'no-cache');
    assert.equal(other.text, asset.text);
  }
  const notices = await get('/docs/assets/scalar-notices.txt');
  assert.equal(notices.headers.get('content-type'), 'text/plain; charset=utf-8');
  assert.equal((await get('/docs/assets/site.mjs')).status, 404);
  assert.equal((await get('/docs/assets/..%2fguides-page.ts')).status, 404);
});

test('a search lists the parts that have all its words, titles first', async () => {
  const { text } = await get('/guides?q=Retry%20WEBHOOK');
  const [, href] = /<ul class="cards"><li><a href="([^"]+)"/.exec(text)!;
  assert.match(href!, /^guides\/webhooks/);
  const nothing = (await get('/guides?q=%3Cb%3Exyzzy')).text;
  assert(nothing.includes('Nothing has all these words.') && !nothing.includes('<b>'));
});

test('HTML in a guide is shown as text', async () => {
  const markdown = '# A <b>title</b>\n\nText.\n\n## `<i>` & <script>x</script>\n\n<img src=x>\n';
  const guide = { path: 'guides/x', group: '', title: 'A <b>', summary: '', markdown };
  const html = await guidePage(guide, []);
  const body = html.slice(html.indexOf('<main'));
  assert(!/<(b|i|script|img)[ >]/.test(body), body);
});

test('an unknown guide is not found', async () => {
  for (const name of ['nothing', 'quick-start.html', '..%2F..%2Fpackage.json', 'webhooks.md.md']) {
    const response = await fetch(`${service.url}/guides/${name}`);
    const { status, headers } = response;
    assertApiError({ status, headers, body: await response.json() }, 'not_found');
  }
});

test('llms.txt lists everything with absolute URLs, in the form of llmstxt.org', async () => {
  const { headers, text } = await get('/llms.txt');
  assert.equal(headers.get('content-type'), 'text/plain; charset=utf-8');
  const lines = text.split('\n');
  assert.equal(lines[0], '# vidgen');
  assert.match(lines[2]!, /^> /);
  assert.deepEqual(
    lines.filter((line) => line.startsWith('## ')),
    ['## Guides', '## Reference', '## Programs', '## Optional'],
  );
  const links = [...text.matchAll(/^- \[[^\]]+\]\(([^)]+)\): \S/gm)].map(([, url]) => url!);
  assert.deepEqual(links, [
    ...paths.map((path) => `${service.url}/${path}.md`),
    `${service.url}/openapi.json`,
    `${service.url}/vidgen.mjs`,
    `${service.url}/vidgen-ai-sdk.mjs`,
    `${service.url}/docs`,
  ]);
  for (const url of links) assert.equal((await fetch(url)).status, 200, url);
});
