/**
 * Parses a source file without running it: the code with comments and literal contents blanked out
 * (positions are kept), the literals, the comments and the imports.
 */
import { type ParseResult, parseSync, Visitor } from 'oxc-parser';

export type Literal = { readonly value: string; readonly at: number; readonly line: number };

type Source = {
  readonly code: string;
  readonly comments: readonly Literal[];
  /** Regular expression literals with their slashes and flags. */
  readonly regexes: readonly Literal[];
};

type Import = {
  readonly specifier: string;
  readonly line: number;
  /** True if nothing of it exists at run time. */
  readonly typeOnly: boolean;
  /** Exported names that exist at run time; empty for a whole module or a side effect. */
  readonly names: readonly string[];
};

/** Reads TypeScript, or JSX if it is none: `<Item>(…)` is an element there. */
function parse(text: string): ParseResult {
  const plain = parseSync('source.ts', text);
  return plain.errors.length === 0 ? plain : parseSync('source.tsx', text);
}

const known = new Map<string, Source>();

export function readSource(text: string): Source {
  const source = known.get(text) ?? parseSource(text);
  known.set(text, source);
  return source;
}

function parseSource(text: string): Source {
  const { program, comments } = parse(text);
  const regexes: Literal[] = [];
  const blanks = comments.map(({ start, end }) => ({ from: start, to: end }));
  const visitor = new Visitor({
    Literal({ start, end, ...literal }) {
      if ('regex' in literal) regexes.push(literalAt(text, start, end));
      if ('regex' in literal) blanks.push({ from: start, to: end });
      else if (typeof literal.value === 'string') blanks.push({ from: start + 1, to: end - 1 });
    },
    TemplateElement({ start, value: { raw } }) {
      // The range has the delimiters in TypeScript.
      const from = text.startsWith(raw, start) ? start : start + 1;
      blanks.push({ from, to: from + raw.length });
    },
    JSXText: ({ start, end }) => void blanks.push({ from: start, to: end }),
  });
  visitor.visit(program);
  let code = '';
  for (const { from, to } of blanks.toSorted((one, other) => one.from - other.from)) {
    code += text.slice(code.length, from) + blank(text.slice(from, to));
  }
  return {
    code: code + text.slice(code.length),
    comments: comments.map(({ start, end }) => literalAt(text, start, end)),
    regexes,
  };
}

const literalAt = (text: string, start: number, end: number): Literal => ({
  value: text.slice(start, end),
  at: start,
  line: lineAt(text.slice(0, start)),
});

/** The URL of a worker, and of a program that is started. */
const namedFile = /\b(?:new URL|import\.meta\.resolve)\(\s*'([^'\n]+)'/g;

/** Every file of the project that the source names: by an import of any kind, or by its URL. */
export function fileReferences(text: string): { value: string; line: number }[] {
  const named = [...text.matchAll(namedFile)].map(({ 1: value = '', index }) => ({
    value,
    line: lineAt(text.slice(0, index)),
  }));
  return [...importsOf(text).map(({ specifier: value, line }) => ({ value, line })), ...named];
}

export function importsOf(text: string): Import[] {
  const { staticImports, staticExports, dynamicImports } = parse(text).module;
  const lineOf = (at: number) => lineAt(text.slice(0, at));
  const exportedNames = ({ kind, name }: { kind: string; name?: string | null | undefined }) =>
    kind === 'Name' && name ? [name] : [];
  const fixed = staticImports.map(({ moduleRequest, entries }) => {
    const used = entries.filter(({ isType }) => !isType);
    const names = used.flatMap(({ importName }) => exportedNames(importName));
    return {
      specifier: moduleRequest.value,
      line: lineOf(moduleRequest.start),
      typeOnly: entries.length > 0 && used.length === 0,
      names: names.length === used.length ? names : [],
    };
  });
  const passedOn = staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest, importName, isType }) => {
      if (!moduleRequest) return [];
      const { value: specifier, start } = moduleRequest;
      const names = exportedNames(importName);
      return [{ specifier, line: lineOf(start), typeOnly: isType, names }];
    }),
  );
  const dynamic = dynamicImports.flatMap(({ moduleRequest: { start, end } }) => {
    const specifier = /^['"`](.*)['"`]$/.exec(text.slice(start, end))?.[1];
    return specifier === undefined
      ? []
      : [{ specifier, line: lineOf(start), typeOnly: false, names: [] }];
  });
  return [...fixed, ...passedOn, ...dynamic];
}

/** The insides of literals; code and comments are blanked out, so offsets stay the same. */
export function literalsOf(text: string): string {
  const { code, comments } = readSource(text);
  const insides = text
    .split('')
    .map((character, at) => (character === '\n' || character !== code[at] ? character : ' '));
  for (const { at, value } of comments) insides.splice(at, value.length, ...blank(value));
  return insides.join('');
}

/**
 * Returns the line of each match of a pattern (with the `g` flag) in the code. Parsing costs more
 * than a search in the whole text, which most files have no match in.
 */
export function linesMatching(text: string, pattern: RegExp): number[] {
  if (text.search(pattern) < 0) return [];
  const { code } = readSource(text);
  return [...code.matchAll(pattern)].map(({ index }) => lineAt(code.slice(0, index)));
}

export const commentsOf = (text: string): Literal[] =>
  parse(text).comments.map(({ start, end }) => literalAt(text, start, end));

export function lineAt(before: string): number {
  return before.split('\n').length;
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}
