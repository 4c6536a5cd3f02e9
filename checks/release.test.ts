/**
 * The files of a release: complete, reproducible, and refused for a commit that is none.
 *
 * Thorough: lists all packages twice; `npm run check` runs it too.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { makeTemporaryFolder } from '../proof/kit/temporary-folder.ts';
import { binaryLicenseProblems, type Lockfile } from './binary-licenses.ts';
import { buildRelease } from './release-files.ts';
import { copiedFile, sbomOf } from './sbom.ts';
import { root } from './tree.ts';

const folder = makeTemporaryFolder('release');

const repository = join(folder, 'repository');
const git = (...args: string[]) =>
  execFileSync('git', ['-C', repository, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      ...process.env,
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_AUTHOR_DATE: '2026-01-02T03:04:05Z',
      GIT_COMMITTER_DATE: '2026-01-02T03:04:05Z',
    },
  });
const commit = () => {
  git('add', '-A');
  git('-c', 'user.name=Test', '-c', 'user.email=test@example.com', 'commit', '-m', 'change');
};
const write = (name: string, content: unknown) =>
  writeFileSync(
    join(repository, name),
    typeof content === 'string' ? content : JSON.stringify(content),
  );
const build = (name: string) => buildRelease({ repository, folder: join(folder, name) });

test('a release has an archive, a bill of materials and checksums, always the same', () => {
  mkdirSync(repository);
  git('init');
  const version = '1.2.3';
  write('package.json', { name: 'sample', version });
  write('package-lock.json', {
    name: 'sample',
    version,
    lockfileVersion: 3,
    packages: { '': { name: 'sample', version } },
  });
  write('CHANGELOG.md', '# Changelog\n\n## [1.2.3] - Unreleased\n');
  commit();
  assert.throws(() => build('early'), /CHANGELOG\.md needs a section "## \[1\.2\.3\] - YYYY/);
  write('CHANGELOG.md', '# Changelog\n\n## [1.2.3] - 2026-01-02\n');
  assert.throws(() => build('dirty'), /changes that are not committed/);
  commit();
  const { files } = build('first');
  const sums = readFileSync(join(folder, 'first/SHA256SUMS'), 'utf8');
  const names = ['sample-1.2.3.tar.gz', 'sample-1.2.3.cdx.json'];
  assert.deepEqual(
    files,
    [...names, 'SHA256SUMS'].map((name) => join(folder, 'first', name)),
  );
  const expected = names.map((name) => {
    const content = readFileSync(join(folder, 'first', name));
    return `${createHash('sha256').update(content).digest('hex')}  ${name}\n`;
  });
  assert.equal(sums, expected.join(''));
  build('second');
  assert.equal(readFileSync(join(folder, 'second/SHA256SUMS'), 'utf8'), sums);
  const listed = execFileSync('tar', ['-tzf', files[0]!], { encoding: 'utf8' });
  assert.match(listed, /^sample-1\.2\.3\/package\.json$/m);
  const packages = { '': { name: 'sample', version }, server: { version: '1.2.2' } };
  write('package-lock.json', { name: 'sample', version, lockfileVersion: 3, packages });
  commit();
  assert.throws(() => build('mixed'), /Set the version 1\.2\.3 in server \(1\.2\.2\), too\./);
});

const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lockfile;

const sbom = sbomOf(root, { builtAt: '2026-01-02T03:04:05.000Z' });

test('the bill of materials has what npm lists, in a form that can be reproduced', () => {
  const { version, integrity = '' } = lock.packages['node_modules/pg']!;
  const content = Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex');
  const driver = sbom.components.find(({ name }) => name === 'pg');
  assert.partialDeepStrictEqual(driver, { version, hashes: [{ alg: 'SHA-512', content }] });
  assert.equal(sbom.metadata.timestamp, '2026-01-02T03:04:05.000Z');
  assert.match(sbom.serialNumber, /^urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
});

test('packages with native code or WebAssembly have a license of what is in them', () => {
  assert.deepEqual(binaryLicenseProblems(lock, root), []);
  const encoder = sbom.components.find(({ name }) => name.endsWith('node-av-linux-x64'))!;
  assert.deepEqual(encoder.licenses, [{ expression: 'MIT AND GPL-3.0-or-later AND FDK-AAC' }]);

  const packages = {
    'node_modules/@seydx/node-av-linux-x64': { version: '6.2.0', os: ['linux'] },
    'node_modules/addon': {},
    'node_modules/plain': {},
    'node_modules/script': {},
    'node_modules/tool': { os: ['linux'], dev: true },
  };
  for (const [file, text] of [
    ['addon/lib/addon.node', ''],
    ['plain/index.js', 'call()'],
    ['script/index.mjs', 'WebAssembly.instantiate(bytes)'],
  ] as const) {
    mkdirSync(join(folder, 'node_modules', file, '..'), { recursive: true });
    writeFileSync(join(folder, 'node_modules', file), text);
  }
  const problems = binaryLicenseProblems({ packages }, folder).join('\n');
  assert.match(problems, /^\S+x64 was read for .*, not 6\.2\.0:.*\naddon has .*\nscript has .*$/);
});

test('the script of the API reference is the one that the bill of materials names', () => {
  const packed = readFileSync(join(root, 'server/api/pages/site/scalar.js.gz'));
  const digest = createHash('sha256').update(gunzipSync(packed)).digest('hex');
  assert.equal(digest, copiedFile.hashes[0]!.content);
  const notices = readFileSync(join(root, 'server/api/pages/site/scalar-notices.txt'), 'utf8');
  assert.ok(notices.includes(`@scalar/api-reference ${copiedFile.version}`));
});
