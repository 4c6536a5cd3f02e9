/**
 * Highlights the code of the guides: comments, strings, numbers, keywords and calls, in the five
 * languages that they use. Runs when a guide is rendered, so that pages need no highlighter.
 */

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`);

const keywords: Readonly<Record<string, string>> = {
  sh: 'case do done echo else esac export fi for if in then until while',
  ts:
    'as async await break case catch class const continue default do else export extends finally ' +
    'for from function if import in instanceof let new of return switch throw try type typeof ' +
    'undefined while null true false',
  python:
    'and as async await break class continue def elif else except False finally for from if ' +
    'import in is lambda None not or pass raise return True try while with yield',
  json: 'true false null',
  yaml: 'true false null',
};

/** One token at the position, by language. The first alternative that matches is taken. */
const sharedPatterns = {
  hashComment: '(?<c>#[^\\n]*)',
  slashComment: '(?<c>//[^\\n]*|/\\*[^]*?\\*/)',
  string: '(?<s>"(?:[^"\\\\\\n]|\\\\.)*"|\'(?:[^\'\\\\\\n]|\\\\.)*\')',
  template: '(?<s>`[^`]*`|"(?:[^"\\\\\\n]|\\\\.)*"|\'(?:[^\'\\\\\\n]|\\\\.)*\')',
  // A quoted body of a request spans lines.
  shellString: '(?<s>"(?:[^"\\\\]|\\\\[^])*"|\'[^\']*\')',
  number: '(?<n>\\b\\d[\\d_.]*\\b)',
  call: '(?<f>\\b[A-Za-z_]\\w*(?=\\())',
  word: '(?<w>[A-Za-z_$][\\w$-]*)',
} as const;

const patternNames: Readonly<Record<string, readonly (keyof typeof sharedPatterns)[]>> = {
  sh: ['hashComment', 'shellString', 'word'],
  ts: ['slashComment', 'template', 'number', 'call', 'word'],
  python: ['hashComment', 'string', 'number', 'call', 'word'],
  json: ['string', 'number', 'word'],
  yaml: ['hashComment', 'string', 'number', 'word'],
};

/** Returns HTML. A language that is not known gives plain text. */
export function highlightCode(code: string, language: string): string {
  const names = patternNames[language];
  if (!names) return escapeHtml(code);
  const known = new Set(keywords[language]!.split(' '));
  const pattern = new RegExp(names.map((name) => sharedPatterns[name]).join('|'), 'g');
  let html = '';
  let at = 0;
  for (const match of code.matchAll(pattern)) {
    const [text] = match;
    html += escapeHtml(code.slice(at, match.index)) + tokenHtml(text, match.groups!, known);
    at = match.index + text.length;
  }
  return html + escapeHtml(code.slice(at));
}

function tokenHtml(
  text: string,
  groups: Readonly<Record<string, string>>,
  known: ReadonlySet<string>,
): string {
  const isKeyword = known.has(text);
  const kind = isKeyword ? 'k' : Object.keys(groups).find((name) => groups[name] !== undefined);
  return kind === 'w' ? escapeHtml(text) : `<span class="${kind}">${escapeHtml(text)}</span>`;
}
