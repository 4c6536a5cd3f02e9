/**
 * Taste, so that no review has to argue about it: words that are banned together with what to write
 * instead, names that say nothing, and sizes beyond which nobody reads on.
 */
import { linesMatching, readSource, type Source } from './source.ts';
import { complaint, isConfiguration, isProgram, isTest, type Tree } from './tree.ts';

const columnsMax = 100;
const linesMax = 400;

type Ban = {
  readonly pattern: RegExp;
  readonly message: string;
  readonly except?: (path: string) => boolean;
};

const bans: readonly Ban[] = [
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

export function tidyProblems(tree: Tree): string[] {
  return [...tree]
    .filter(([path]) => !generated.test(path))
    .flatMap(([path, text]) => [
      ...nameProblems(path),
      ...(path.endsWith('.json') ? [] : sizeProblems(path, text)),
      ...(isProgram(path) ? programProblems(path, text) : []),
    ]);
}

function nameProblems(path: string): string[] {
  const words = path.split('/').map((part) => part.replace(/\..*$/, ''));
  const empty = words.find((word) => emptyNames.test(word));
  const advice = 'a name that says nothing gathers everything: name it after what it holds';
  return [
    ...(empty === undefined ? [] : [complaint(path, 1, `"${empty}": ${advice}`)]),
    ...(words.at(-1) === 'index' && isProgram(path) && path !== 'sdk/index.ts'
      ? [complaint(path, 1, 'index hides what is where: import from the file that has it')]
      : []),
  ];
}

function sizeProblems(path: string, text: string): string[] {
  const lines = text.replace(/\n$/, '').split('\n');
  const long = lines.flatMap((line, index) => {
    const columns = [...line].length;
    const message = `${columns} columns: break the line at ${columnsMax}`;
    return columns > columnsMax ? [complaint(path, index + 1, message)] : [];
  });
  return lines.length > linesMax
    ? [
        ...long,
        complaint(path, linesMax + 1, `${lines.length} lines: split the file by what it does`),
      ]
    : long;
}

function programProblems(path: string, text: string): string[] {
  const source = readSource(text);
  return [
    ...(isTest(path) || opensWithComment(source)
      ? []
      : [complaint(path, 1, 'open with a comment: what this is, and the promise it keeps')]),
    ...source.comments
      .filter(({ value }) => unfinished.test(value))
      .map(({ line }) => complaint(path, line, 'unfinished: finish it, or make it an issue')),
    ...bans
      .filter(({ except }) => !except?.(path))
      .flatMap(({ pattern, message }) =>
        linesMatching(source, pattern).map((line) => complaint(path, line, message)),
      ),
  ];
}

function opensWithComment({ code, comments }: Source): boolean {
  const first = comments[0];
  return first !== undefined && /^(#![^\n]*)?\s*$/.test(code.slice(0, first.at));
}
