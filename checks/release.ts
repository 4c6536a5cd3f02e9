/** `npm run release`: builds the files of a release in `dist/release`. */
import { join, relative } from 'node:path';
import { buildRelease, ReleaseError } from './release-files.ts';
import { root } from './tree.ts';

try {
  const folder = join(root, 'dist/release');
  const { version, commit, files } = buildRelease({ repository: root, folder });
  for (const file of files) process.stdout.write(`${relative(root, file)}\n`);
  process.stdout.write(
    `Built from ${commit}. Nothing is published; to tag it: git tag -a v${version} ${commit}\n`,
  );
} catch (error) {
  if (!(error instanceof ReleaseError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
