/**
 * The project as the checks see it: paths and texts. A check is a function from a tree to its
 * problems, so it runs the same over the repository and over a planted violation.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, posix, relative, sep } from 'node:path';

/** Path from the root, with forward slashes, to the file's text. */
export type Tree = ReadonlyMap<string, string>;

export const root = join(import.meta.dirname, '..');

/** Not checked; `vidgen.config.ts` belongs to the operator. */
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

/** Test code may import everything, and only test code may import it. */
export function isTestCode(path: string): boolean {
  return isTest(path) || /^(checks|proof)\/|(^|\/)(testing|check)\//.test(path);
}

/**
 * Programs that import nothing of the project and that nothing imports: setup, examples, the health
 * check of the image, and the command line client and AI SDK provider, which are only served.
 */
export function isStandalone(path: string): boolean {
  return /^(setup|examples|cli|ai-sdk|deploy)\//.test(path);
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
