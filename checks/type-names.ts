/**
 * One type, one name: a name that two files of a workspace export as different types has to be read
 * together with its import.
 */
import { lineAt } from './source.ts';
import { formatProblem, sourceFiles, type Tree } from './tree.ts';

const workspaces = ['server', 'contract', 'dashboard', 'renderer', 'proof', 'checks'];

/** A declaration; `export type { Task } from './task.ts'` declares nothing and is allowed. */
const exportedType = /^export (?:declare )?(?:abstract )?(?:type|interface|class) (\w+)/gm;

type TypeDeclaration = { readonly name: string; readonly path: string; readonly line: number };

export function typeNameProblems(tree: Tree): string[] {
  return workspaces.flatMap((workspace) => {
    const first = new Map<string, TypeDeclaration>();
    return declarationsIn(tree, workspace).flatMap((declaration) => {
      const { name, path, line } = declaration;
      const earlier = first.get(name);
      if (earlier === undefined) first.set(name, declaration);
      if (earlier === undefined || earlier.path === path) return [];
      return [formatProblem(path, line, `${name} is also the name of a type in ${earlier.path}`)];
    });
  });
}

function declarationsIn(tree: Tree, workspace: string): TypeDeclaration[] {
  return sourceFiles(tree)
    .filter(([path]) => path.startsWith(`${workspace}/`))
    .flatMap(([path, text]) =>
      [...text.matchAll(exportedType)].map(({ 1: name = '', index }) => ({
        name,
        path,
        line: lineAt(text.slice(0, index)),
      })),
    );
}
