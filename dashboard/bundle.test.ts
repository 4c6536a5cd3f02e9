import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

const dist = join(import.meta.dirname, 'dist');
const firstLoadBytesMax = 200 * 1024;

type Chunk = { readonly file: string; readonly imports?: readonly string[] };

const manifest = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8')) as Readonly<
  Record<string, Chunk>
>;

/** A chunk and all chunks that it imports statically. */
function filesOf(...entries: readonly string[]): Set<string> {
  const seen = new Set<string>();
  const walk = (entry: string) => {
    const chunk = manifest[entry];
    assert(chunk, `${entry} is not in the build`);
    if (seen.has(chunk.file)) return;
    seen.add(chunk.file);
    for (const next of chunk.imports ?? []) walk(next);
  };
  for (const entry of entries) walk(entry);
  return seen;
}

const gzipped = (file: string): number =>
  gzipSync(readFileSync(join(dist, file)), { level: 9 }).length;

const visits: Readonly<Record<string, readonly string[]>> = {
  'signing in': ['index.html', 'src/auth/sign-in-page.tsx'],
  'the overview': ['index.html', 'src/overview/overview-page.tsx'],
};

for (const [visit, entries] of Object.entries(visits)) {
  test(`loads at most 200 KB of JavaScript on a first visit: ${visit}`, (t) => {
    const sizes = [...filesOf(...entries)].map((file) => gzipped(file));
    const total = sizes.reduce((sum, size) => sum + size, 0);
    t.diagnostic(`${(total / 1024).toFixed(1)} KB gzipped in ${sizes.length} files`);
    assert(total <= firstLoadBytesMax, `${total} bytes`);
  });
}

test('leaves the contract’s schemas out of every page', () => {
  for (const file of scripts()) {
    assert.doesNotMatch(readFileSync(file, 'utf8'), /ZodObject|\$ZodType/, file);
  }
});

test('loads nothing from another host', () => {
  // Matches URLs that are loaded, not those in texts and links.
  const fetching = /(?:\bfetch|\bimport|\burl|importScripts|new Worker)\s*\(\s*["'`]?https?:\/\//;
  const styles = readdirSync(join(dist, 'assets')).filter((name) => name.endsWith('.css'));
  for (const file of [...scripts(), ...styles.map((name) => join(dist, 'assets', name))]) {
    assert.doesNotMatch(readFileSync(file, 'utf8'), fetching, file);
  }
  assert.doesNotMatch(readFileSync(join(dist, 'index.html'), 'utf8'), /(?:src|href)="(?!\.\/)/);
});

function scripts(): string[] {
  return readdirSync(join(dist, 'assets'))
    .filter((name) => name.endsWith('.js'))
    .map((name) => join(dist, 'assets', name));
}
