/**
 * Builds the files of a release from a commit: the archive, the software bill of materials, and
 * their checksums. The same commit gives the same bytes. Nothing is published.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, gzipSync } from 'node:zlib';
import type { Lockfile } from './binary-licenses.ts';
import { sbomOf } from './sbom.ts';

export class ReleaseError extends Error {}

type Release = {
  readonly version: string;
  readonly commit: string;
  readonly files: readonly string[];
};

/** Throws `ReleaseError` with what keeps the commit from being a release. */
export function buildRelease({
  repository,
  folder,
}: {
  readonly repository: string;
  readonly folder: string;
}): Release {
  const git = (...args: string[]): Buffer =>
    execFileSync('git', ['-C', repository, ...args], { maxBuffer: 1024 ** 3 });
  const gitText = (...args: string[]): string =>
    git(...args)
      .toString()
      .trim();
  const read = (path: string): string => gitText('show', `HEAD:${path}`);
  if (gitText('status', '--porcelain') !== '') {
    throw new ReleaseError('There are changes that are not committed; commit or stash them.');
  }
  const lock = JSON.parse(read('package-lock.json')) as Lockfile;
  const { name, version } = JSON.parse(read('package.json')) as { name: string; version: string };
  requireVersion({ version, lock, changelog: read('CHANGELOG.md') });
  const base = `${name}-${version}`;
  const tar = git('archive', '--format=tar', `--prefix=${base}/`, 'HEAD');
  const builtAt = new Date(Number(gitText('log', '-1', '--format=%ct')) * 1000).toISOString();
  const contents = new Map<string, Buffer>([
    [`${base}.tar.gz`, gzipSync(tar, { level: constants.Z_BEST_COMPRESSION })],
    [
      `${base}.cdx.json`,
      Buffer.from(`${JSON.stringify(sbomOf(repository, { builtAt }), null, 2)}\n`),
    ],
  ]);
  const sums = [...contents].map(([file, content]) => {
    const digest = createHash('sha256').update(content).digest('hex');
    return `${digest}  ${file}\n`;
  });
  contents.set('SHA256SUMS', Buffer.from(sums.join('')));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [file, content] of contents) writeFileSync(join(folder, file), content);
  const files = [...contents.keys()].map((file) => join(folder, file));
  return { version, commit: gitText('rev-parse', 'HEAD'), files };
}

function requireVersion({
  version,
  lock,
  changelog,
}: {
  readonly version: string;
  readonly lock: Lockfile;
  readonly changelog: string;
}): void {
  const versions = Object.entries(lock.packages)
    .filter(([location, { link }]) => !location.includes('node_modules/') && !link)
    .filter(([, locked]) => locked.version !== version)
    .map(([location, locked]) => `${location || 'package-lock.json'} (${locked.version})`);
  if (versions.length > 0) {
    throw new ReleaseError(`Set the version ${version} in ${versions.join(', ')}, too.`);
  }
  const heading = `## [${version}] - `;
  const line = changelog.split('\n').find((one) => one.startsWith(heading));
  if (!/^\d{4}-\d\d-\d\d$/.test(line?.slice(heading.length) ?? '')) {
    throw new ReleaseError(`CHANGELOG.md needs a section "${heading}YYYY-MM-DD" of this version.`);
  }
}
