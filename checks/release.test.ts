/** The files of a release: complete, reproducible, and refused for a commit that is none. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { deleteFolder, makeTemporaryFolder } from '../proof/kit/temporary-folder.ts';
import { binaryLicenseProblems } from './binary-licenses.ts';
import { buildRelease } from './release-files.ts';
import { copiedFile, type Lockfile, sbomOf } from './sbom.ts';
import { root } from './tree.ts';

const folder = makeTemporaryFolder('release');
after(() => deleteFolder(folder));

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
  write('package-lock.json', { name: 'sample', version, packages: { '': { version } } });
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
  const packages = { '': { version }, server: { version: '1.2.2' } };
  write('package-lock.json', { name: 'sample', version, packages });
  commit();
  assert.throws(() => build('mixed'), /Set the version 1\.2\.3 in server \(1\.2\.2\), too\./);
});

const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lockfile;

test('the bill of materials names every locked package, with license, checksum and edges', () => {
  const sbom = sbomOf(lock, { builtAt: '2026-01-02T03:04:05.000Z' });
  const { components, dependencies } = sbom;
  const refs = new Set([
    sbom.metadata.component['bom-ref'],
    ...components.map((component) => component['bom-ref']),
  ]);
  assert.equal(refs.size, components.length + 1);
  assert.ok(dependencies.every(({ ref, dependsOn }) => [ref, ...dependsOn].every(isKnown)));
  function isKnown(ref: string) {
    return refs.has(ref);
  }
  const driver = components.find(({ purl }) => purl.startsWith('pkg:npm/pg@'))!;
  const { version, integrity = '' } = lock.packages['node_modules/pg']!;
  assert.deepEqual(driver, {
    type: 'library',
    'bom-ref': `pkg:npm/pg@${version}#node_modules/pg`,
    name: 'pg',
    version,
    scope: 'required',
    hashes: [
      {
        alg: 'SHA-512',
        content: Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex'),
      },
    ],
    licenses: [{ license: { id: 'MIT' } }],
    purl: `pkg:npm/pg@${version}`,
  });
  const server = dependencies.find(({ ref }) => ref.endsWith('#server'))!;
  assert.ok(server.dependsOn.includes(driver['bom-ref']));
  assert.match(sbom.serialNumber, /^urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
});

test('packages with native code or WebAssembly have a license of what is in them', () => {
  assert.deepEqual(binaryLicenseProblems(lock, root), []);
  const { components } = sbomOf(lock, { builtAt: '' });
  const encoder = components.find(({ name }) => name === 'node-av-linux-x64')!;
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
  const problems = binaryLicenseProblems({ name: '', version: '', packages }, folder).join('\n');
  assert.match(problems, /^\S+x64 was read for .*, not 6\.2\.0:.*\naddon has .*\nscript has .*$/);
});

test('the script of the API reference is the one that the bill of materials names', () => {
  const packed = readFileSync(join(root, 'server/api/pages/site/scalar.js.gz'));
  const digest = createHash('sha256').update(gunzipSync(packed)).digest('hex');
  assert.equal(digest, copiedFile.hashes[0]!.content);
  const notices = readFileSync(join(root, 'server/api/pages/site/scalar-notices.txt'), 'utf8');
  assert.ok(notices.includes(`@scalar/api-reference ${copiedFile.version}`));
});
