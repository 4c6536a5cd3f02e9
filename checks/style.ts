/**
 * Style rules that Biome does not have: file names, line width in comments and SQL, a header in
 * every file, no unfinished marks. Everything else is in biome.json.
 */
import { commentsOf } from './source.ts';
import { formatProblem, isSourceFile, isTest, type Tree } from './tree.ts';

const columnsMax = 100;

const emptyNames = /^(utils?|helpers?|common|misc|shared|lib|types)$/;
const unfinished = /\b(TO-?DO|FIX-?ME)\b/;

/** Generated, or written by npm. */
const generated = /(^|\/)(package(-lock)?\.json|schema\.sql)$/;

export function styleProblems(tree: Tree): string[] {
  return [...tree]
    .filter(([path]) => !generated.test(path))
    .flatMap(([path, text]) => [
      ...nameProblems(path),
      ...(path.endsWith('.json') ? [] : widthProblems(path, text)),
      ...(isSourceFile(path) ? sourceProblems(path, text) : []),
    ]);
}

function nameProblems(path: string): string[] {
  const names = path.split('/').map((part) => part.replace(/\..*$/, ''));
  const empty = names.find((name) => emptyNames.test(name));
  const advice = 'name the file after what it holds';
  return [
    ...(empty === undefined ? [] : [formatProblem(path, 1, `"${empty}": ${advice}`)]),
    ...(names.at(-1) === 'index' && isSourceFile(path)
      ? [formatProblem(path, 1, 'no index files: import from the file that declares the name')]
      : []),
  ];
}

function widthProblems(path: string, text: string): string[] {
  return text.split('\n').flatMap((line, index) => {
    const columns = [...line].length;
    const message = `${columns} columns: break the line at ${columnsMax}`;
    return columns > columnsMax ? [formatProblem(path, index + 1, message)] : [];
  });
}

function sourceProblems(path: string, text: string): string[] {
  const comments = commentsOf(text);
  const start = text.slice(0, comments[0]?.at);
  const opensWithComment = comments.length > 0 && /^(#![^\n]*)?\s*$/.test(start);
  return [
    ...(isTest(path) || opensWithComment
      ? []
      : [
          formatProblem(
            path,
            1,
            'begin with a comment: what is in the file, and what it guarantees',
          ),
        ]),
    ...comments
      .filter(({ value }) => unfinished.test(value))
      .map(({ line }) => formatProblem(path, line, 'unfinished: finish it, or open an issue')),
  ];
}
