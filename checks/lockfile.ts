/**
 * `npm ci` must work on every platform and with every registry: a lockfile that was written while
 * some platform packages were missing is refused elsewhere; one that names hosts asks only those.
 */
import { complaint, type Tree } from './tree.ts';

type Locked = {
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly inBundle?: boolean;
};
type Manifest = Readonly<Record<string, Readonly<Record<string, string>> | undefined>>;

const kinds = ['dependencies', 'devDependencies', 'optionalDependencies'] as const;

export function lockfileProblems(tree: Tree): string[] {
  return [...tree].flatMap(([path, text]) => {
    if (path.endsWith('package-lock.json')) return lockProblems(path, text);
    if (path.endsWith('package.json')) return manifestProblems(path, text);
    return [];
  });
}

function lockProblems(path: string, text: string): string[] {
  const { packages } = JSON.parse(text) as { packages: Readonly<Record<string, Locked>> };
  const problem = (message: string) => complaint(path, 1, message);
  return Object.entries(packages).flatMap(([place, locked]) => {
    const missing = Object.keys(locked.optionalDependencies ?? {})
      .filter((name) => !findLocked(packages, place, name))
      .map((name) => problem(`${name} is missing: choose a version of ${place} that has it`));
    const isInstalled = place.includes('node_modules/') && !locked.link && !locked.inBundle;
    return [
      ...missing,
      ...(isInstalled && locked.resolved
        ? [problem(`${place} names a registry: install with the settings of .npmrc`)]
        : []),
      ...(isInstalled && !locked.integrity ? [problem(`${place} has no checksum`)] : []),
    ];
  });
}

/** As Node looks for it: beside the package, then in every folder above. */
function findLocked(
  packages: Readonly<Record<string, Locked>>,
  place: string,
  name: string,
): boolean {
  if (`${place ? `${place}/` : ''}node_modules/${name}` in packages) return true;
  if (place === '') return false;
  const above = place.slice(0, Math.max(0, place.lastIndexOf('node_modules/') - 1));
  return findLocked(packages, above === place ? '' : above, name);
}

function manifestProblems(path: string, text: string): string[] {
  const manifest = JSON.parse(text) as Manifest;
  return kinds.flatMap((kind) =>
    Object.entries(manifest[kind] ?? {})
      .filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
      .map(([name, version]) =>
        complaint(path, 1, `${name} ${version} can change under us: pin an exact version`),
      ),
  );
}
