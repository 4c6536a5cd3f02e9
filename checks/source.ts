/**
 * Parses a source file without running it: the code with comments and literal contents blanked out
 * (positions are kept), the string literals, the comments and the imports.
 */
export type Literal = { readonly value: string; readonly at: number; readonly line: number };

export type Source = {
  readonly code: string;
  readonly strings: readonly Literal[];
  readonly comments: readonly Literal[];
  /** Regular expression literals with their slashes and flags. */
  readonly regexes: readonly Literal[];
};

export type Import = {
  readonly specifier: string;
  readonly line: number;
  /** True if nothing of it exists at run time. */
  readonly typeOnly: boolean;
  /** Exported names that exist at run time; empty for a whole module or a side effect. */
  readonly names: readonly string[];
};

/** After one of these a slash starts a regular expression; after `<` it closes an element. */
const beforeRegex = /(^|[(,=:[!&|?{};+\-*%~^>]|\b(return|typeof|case|in|of|throw|await|else))\s*$/;
const lineComment = /\/\/[^\n]*/y;
const blockComment = /\/\*[\s\S]*?\*\//y;
const quoted = /'(?:\\[\s\S]|[^'\\\n])*'|"(?:\\[\s\S]|[^"\\\n])*"/y;
const regex = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y;
const templateText = /(?:\\[\s\S]|\$(?!\{)|[^\\`$])*/y;

/** Up to a character that may begin something else. */
const plain = /[^/'"`{}]+/y;
/** As much code as `beforeRegex` looks at. */
const tailMax = 40;

export function readSource(text: string): Source {
  const strings: Literal[] = [];
  const comments: Literal[] = [];
  const regexes: Literal[] = [];
  // Pieces, as text that grows by a character at a time is copied for each.
  const pieces: string[] = [];
  let [at, line, tail] = [0, 1, ''];
  /** The number of open braces in each enclosing template expression. */
  const templates: number[] = [];

  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0];
  };
  const here = (value: string): Literal => ({ value, at, line });
  const take = (piece: string) => {
    pieces.push(piece);
    at += piece.length;
    if (piece.includes('\n')) line += piece.split('\n').length - 1;
    tail = piece.length < tailMax ? `${tail}${piece}`.slice(-tailMax) : piece.slice(-tailMax);
  };
  const takeTemplateText = () => {
    const inside = match(templateText) ?? '';
    const whole = text[at - 1] === '`' && text[at + inside.length] === '`';
    if (whole) strings.push({ ...here(inside), at: at - 1 });
    take(blank(inside));
    if (text[at] === '`') take('`');
    else if (text.startsWith('${', at)) {
      take('${');
      templates.push(0);
    }
  };

  while (at < text.length) {
    const before = tail.at(-1) ?? '';
    const next = text[at] ?? '';
    // In JSX text `https://` starts no comment, and `it's` no string.
    const comment =
      next !== '/' || before === ':' ? undefined : (match(lineComment) ?? match(blockComment));
    const string = /['"]/.test(next) && !/\w/.test(before) ? match(quoted) : undefined;
    if (comment !== undefined) {
      comments.push(here(comment));
      take(blank(comment));
    } else if (string !== undefined) {
      strings.push(here(string.slice(1, -1)));
      take(`${next}${blank(string.slice(1, -1))}${next}`);
    } else if (next === '`') {
      take(next);
      takeTemplateText();
    } else if (next === '}' && templates.at(-1) === 0) {
      templates.pop();
      take(next);
      takeTemplateText();
    } else {
      const pattern = next === '/' && beforeRegex.test(tail) ? match(regex) : undefined;
      const depth = templates.length - 1;
      if (depth >= 0 && next === '{') templates[depth] = (templates[depth] ?? 0) + 1;
      if (depth >= 0 && next === '}') templates[depth] = (templates[depth] ?? 0) - 1;
      if (pattern !== undefined) regexes.push(here(pattern));
      take(pattern === undefined ? (match(plain) ?? next) : blank(pattern));
    }
  }
  return { code: pieces.join(''), strings, comments, regexes };
}

/**
 * Returns every project file that the source names: static, side-effect and dynamic imports, and
 * `new URL('./x.ts', import.meta.url)` of a worker, since all of them spell out the path.
 */
export function fileReferences({ strings }: Source): Literal[] {
  return strings.filter(({ value }) => /^(\.{1,2}\/|@vidgen\/)[^\s'"]*\.(tsx?|mjs)$/.test(value));
}

export function importsOf({ code, strings }: Source): Import[] {
  return strings.flatMap(({ value: specifier, at, line }) => {
    const before = code.slice(0, at).trimEnd();
    if (/\b(import|require)\s*\($|\bimport$/.test(before)) {
      return [{ specifier, line, typeOnly: false, names: [] }];
    }
    const clause = /\b(?:import|export)\b((?:(?!\b(?:import|export)\b)[^;])*)\bfrom$/.exec(
      before,
    )?.[1];
    if (clause === undefined) return [];
    const named = [...(/\{([\s\S]*)\}/.exec(clause)?.[1] ?? '').split(',')]
      .map((name) => name.trim())
      .filter(Boolean);
    const whole = clause.replace(/\{[\s\S]*\}/, '').replace(/[\s,]/g, '') !== '';
    const typeOnly =
      /^\s*type\b/.test(clause) || (!whole && named.every((name) => /^type\s/.test(name)));
    const names = named
      .filter((name) => !/^type\s/.test(name))
      .map((name) => name.split(/\s/)[0] ?? '');
    return [{ specifier, line, typeOnly, names: whole ? [] : names }];
  });
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

/** Returns the line of each match of a pattern (with the `g` flag) in the code. */
export function linesMatching({ code }: Source, pattern: RegExp): number[] {
  return [...code.matchAll(pattern)].map(({ index }) => lineAt(code.slice(0, index)));
}

export function lineAt(before: string): number {
  return before.split('\n').length;
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}
