/**
 * The project as the checks see it: paths and texts, nothing else. A check is a function from a
 * tree to its complaints, so it runs the same over the repository and over a planted violation.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, posix, relative, sep } from 'node:path';

/** Path from the root, with forward slashes, to text. */
export type Tree = ReadonlyMap<string, string>;

export const root = join(import.meta.dirname, '..');

/** Not ours to judge; `vidgen.config.ts` is the operator's own. */
const outside = new Set(['node_modules', 'dist', 'fixtures', 'vidgen.config.ts']);
const kinds = new Set(['.ts', '.tsx', '.mjs', '.sql', '.json', '.html']);

export function readTree(folder = root): Tree {
  return new Map(
    filesUnder(folder).map((file) => [
      relative(folder, file).split(sep).join('/'),
      readFileSync(file, 'utf8'),
    ]),
  );
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !outside.has(name) && !name.startsWith('.'))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return filesUnder(path);
      return kinds.has(extname(entry.name)) ? [path] : [];
    });
}

export function isSourceFile(path: string): boolean {
  return /\.(tsx?|mjs)$/.test(path);
}

export function isTest(path: string): boolean {
  return path.endsWith('.test.ts');
}

/** Rooms for tests and measurements: they may use everything, and are used by each other only. */
export function isTestCode(path: string): boolean {
  return isTest(path) || /^(checks|proof)\/|(^|\/)(testing|check)\//.test(path);
}

/**
 * Programs that use nothing of the house and that nothing in it uses: the set-up, the examples, and
 * the command line and the provider for the AI SDK, which the service only hands out.
 */
export function isStandalone(path: string): boolean {
  return /^(setup|examples|cli|ai-sdk)\//.test(path);
}

/** Has the form its reader asks for, and is read by name. */
export function isConfiguration(path: string): boolean {
  return /\.config(\.example)?\.ts$/.test(path);
}

export function sourceFiles(tree: Tree): [path: string, text: string][] {
  return [...tree].filter(([path]) => isSourceFile(path));
}

/** The file of this project that a specifier in `from` names, or undefined for a package. */
export function resolveIn(tree: Tree, from: string, specifier: string): string | undefined {
  const path = specifier.startsWith('@vidgen/')
    ? specifier.slice('@vidgen/'.length)
    : posix.join(posix.dirname(from), specifier);
  return /^[.@]/.test(specifier) && tree.has(path) ? path : undefined;
}

export function formatProblem(path: string, line: number, message: string): string {
  return `${path}:${line}: ${message}`;
}
