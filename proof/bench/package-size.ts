/** The size on disk of what `npm start` installs: locked packages that are not for development. */
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

type Lockfile = {
  readonly packages: Readonly<
    Record<string, { readonly dev?: boolean; readonly link?: boolean } | undefined>
  >;
};

export type PackageSize = { readonly path: string; readonly bytes: number };

/**
 * Returns the packages in `folder/node_modules`, largest first, also when those for development are
 * installed beside them. Workspaces are linked, and not counted.
 */
export function packageSizes(folder: string): PackageSize[] {
  const { packages } = JSON.parse(
    readFileSync(join(folder, 'package-lock.json'), 'utf8'),
  ) as Lockfile;
  const seen = new Set<number>();
  return Object.entries(packages)
    .filter(([path, entry]) => path.includes('node_modules/') && !entry?.dev && !entry?.link)
    .map(([path]) => ({ path, full: join(folder, path) }))
    .filter(({ full }) => existsSync(full))
    .map(({ path, full }) => ({ path, bytes: diskBytes(full, seen) }))
    .sort((a, b) => b.bytes - a.bytes);
}

/** Counts a file once that has several names; packages inside of a package count by themselves. */
function diskBytes(path: string, seen: Set<number>): number {
  const { ino, blocks, isFolder } = statOf(path);
  if (seen.has(ino)) return 0;
  seen.add(ino);
  const names = isFolder ? readdirSync(path).filter((name) => name !== 'node_modules') : [];
  return names.reduce((sum, name) => sum + diskBytes(join(path, name), seen), blocks * 512);
}

function statOf(path: string) {
  const stat = lstatSync(path);
  return { ino: stat.ino, blocks: stat.blocks, isFolder: stat.isDirectory() };
}
