/**
 * Taste, so that no review has to argue about it: words that are banned together with what to write
 * instead, names that say nothing, and sizes beyond which nobody reads on.
 */
import { linesMatching, readSource, type Source } from './source.ts';
import { formatProblem, isConfiguration, isSourceFile, isTest, type Tree } from './tree.ts';

const columnsMax = 100;
const linesMax = 400;

type BannedPattern = {
  readonly pattern: RegExp;
  readonly message: string;
  readonly except?: (path: string) => boolean;
};

const bannedPatterns: readonly BannedPattern[] = [
  {
    pattern: /\benum\s+[A-Za-z_$]/g,
    message: 'enum does not run unbuilt: write a list `as const` and derive the type from it',
  },
  {
    pattern: /(?::|\bas|<|[|&,])\s*any\b(?!\s*[:(])|\bany\[\]/g,
    message: '`any` switches the compiler off: use `unknown` and narrow it, or name the type',
  },
  {
    pattern: /(?<![.\w$])console\./g,
    message:
      'console is not structured: log through server/log.ts, print with process.stdout.write',
  },
  {
    pattern: /\bexport\s+default\b/g,
    message: 'a default export has no name of its own: export it by name',
    except: isConfiguration,
  },
  {
    pattern: /(?<![.\w$])(?:test|it|describe|suite)\.(?:only|skip|todo)\b/g,
    message: 'a test that is left out protects nothing: mend it or delete it',
  },
];

const emptyNames = /^(utils?|helpers?|common|misc|shared|lib|types)$/;
const unfinished = /\b(TO-?DO|FIX-?ME)\b/;

/** Not written by hand, or written by others. */
const generated = /(^|\/)(package(-lock)?\.json|schema\.sql)$/;

export function styleProblems(tree: Tree): string[] {
  return [...tree]
    .filter(([path]) => !generated.test(path))
    .flatMap(([path, text]) => [
      ...nameProblems(path),
      ...(path.endsWith('.json') ? [] : sizeProblems(path, text)),
      ...(isSourceFile(path) ? sourceProblems(path, text) : []),
    ]);
}

function nameProblems(path: string): string[] {
  const names = path.split('/').map((part) => part.replace(/\..*$/, ''));
  const empty = names.find((name) => emptyNames.test(name));
  const advice = 'a name that says nothing gathers everything: name it after what it holds';
  return [
    ...(empty === undefined ? [] : [formatProblem(path, 1, `"${empty}": ${advice}`)]),
    ...(names.at(-1) === 'index' && isSourceFile(path) && path !== 'sdk/index.ts'
      ? [formatProblem(path, 1, 'index hides what is where: import from the file that has it')]
      : []),
  ];
}

function sizeProblems(path: string, text: string): string[] {
  const lines = text.replace(/\n$/, '').split('\n');
  const long = lines.flatMap((line, index) => {
    const columns = [...line].length;
    const message = `${columns} columns: break the line at ${columnsMax}`;
    return columns > columnsMax ? [formatProblem(path, index + 1, message)] : [];
  });
  return lines.length > linesMax
    ? [
        ...long,
        formatProblem(path, linesMax + 1, `${lines.length} lines: split the file by what it does`),
      ]
    : long;
}

function sourceProblems(path: string, text: string): string[] {
  const source = readSource(text);
  return [
    ...(isTest(path) || opensWithComment(source)
      ? []
      : [formatProblem(path, 1, 'open with a comment: what this is, and the promise it keeps')]),
    ...source.comments
      .filter(({ value }) => unfinished.test(value))
      .map(({ line }) => formatProblem(path, line, 'unfinished: finish it, or make it an issue')),
    ...bannedPatterns
      .filter(({ except }) => !except?.(path))
      .flatMap(({ pattern, message }) =>
        linesMatching(source, pattern).map((line) => formatProblem(path, line, message)),
      ),
  ];
}

function opensWithComment({ code, comments }: Source): boolean {
  const first = comments[0];
  return first !== undefined && /^(#![^\n]*)?\s*$/.test(code.slice(0, first.at));
}
