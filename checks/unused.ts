/**
 * No file that nothing uses. A file of the service that only its own test knows is dead too: the
 * test keeps it company, not alive.
 */
import { posix } from 'node:path';
import { importsIn } from './layers.ts';
import {
  formatProblem,
  isConfiguration,
  isTest,
  isTestCode,
  sourceFiles,
  type Tree,
} from './tree.ts';

export function unusedProblems(tree: Tree): string[] {
  const used = new Set(
    importsIn(tree)
      .filter(({ from, to }) => from !== to && (isTestCode(to) || !isTestOf(from, to)))
      .map(({ to }) => to),
  );
  const commands = [...commandsIn(tree), ...scriptsIn(tree)];
  return sourceFiles(tree)
    .filter(([path]) => !isTest(path) && !isConfiguration(path) && !path.startsWith('examples/'))
    .filter(([path]) => !used.has(path) && !commands.some((command) => command.includes(path)))
    .map(([path]) => formatProblem(path, 1, 'nothing uses this file: delete it, or use it'));
}

function isTestOf(test: string, path: string): boolean {
  return test === path.replace(/\.(tsx?|mjs)$/, '.test.ts');
}

/** Programs that a page starts. */
function scriptsIn(tree: Tree): string[] {
  return [...tree]
    .filter(([path]) => path.endsWith('.html'))
    .flatMap(([path, text]) =>
      [...text.matchAll(/ src="\/([^"]+)"/g)].map(([, file]) =>
        posix.join(posix.dirname(path), String(file)),
      ),
    );
}

type Manifest = {
  readonly scripts?: Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports?: string | Readonly<Record<string, string>>;
};

/** Programs that people start or import, by `scripts`, `bin` and `exports` of a manifest. */
function commandsIn(tree: Tree): string[] {
  return [...tree]
    .filter(([path]) => path.endsWith('package.json'))
    .flatMap(([path, text]) => {
      const { scripts = {}, bin = {}, exports = {} } = JSON.parse(text) as Manifest;
      const entries = typeof exports === 'string' ? [exports] : [];
      const folder = path.replace(/package\.json$/, '');
      const files = [...Object.values(bin), ...entries].map((file) => posix.join(folder, file));
      return [...Object.values(scripts), ...files];
    });
}
