/**
 * `npm ci` must work on every platform and with every registry. A lockfile written while platform
 * packages were missing fails elsewhere, and one that names hosts uses only those.
 */
import { formatProblem, type Tree } from './tree.ts';

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
  const problem = (message: string) => formatProblem(path, 1, message);
  return Object.entries(packages).flatMap(([location, locked]) => {
    const missing = Object.keys(locked.optionalDependencies ?? {})
      .filter((name) => !findLocked(packages, location, name))
      .map((name) => problem(`${name} is missing: choose a version of ${location} that has it`));
    const isInstalled = location.includes('node_modules/') && !locked.link && !locked.inBundle;
    return [
      ...missing,
      ...(isInstalled && locked.resolved
        ? [problem(`${location} names a registry: install with the settings of .npmrc`)]
        : []),
      ...(isInstalled && !locked.integrity ? [problem(`${location} has no checksum`)] : []),
    ];
  });
}

/** Resolves like Node: beside the package, then in every folder above. */
function findLocked(
  packages: Readonly<Record<string, Locked>>,
  location: string,
  name: string,
): boolean {
  if (`${location ? `${location}/` : ''}node_modules/${name}` in packages) return true;
  if (location === '') return false;
  const above = location.slice(0, Math.max(0, location.lastIndexOf('node_modules/') - 1));
  return findLocked(packages, above === location ? '' : above, name);
}

function manifestProblems(path: string, text: string): string[] {
  const manifest = JSON.parse(text) as Manifest;
  return kinds.flatMap((kind) =>
    Object.entries(manifest[kind] ?? {})
      .filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
      .map(([name, version]) =>
        formatProblem(path, 1, `${name} ${version} can change under us: pin an exact version`),
      ),
  );
}
