/**
 * The first name that an object of a JSON text gives twice, or null. `JSON.parse` takes the last of
 * them and a proxy before us may have taken the first (RFC 8259, 4), so neither is taken.
 */

/** Takes text that `JSON.parse` has accepted: only then do quotes and brackets mean anything. */
export function findDuplicateKey(text: string): string | null {
  /** The names of each object around the place looked at; null for an array. */
  const stack: (Set<string> | null)[] = [];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '{') stack.push(new Set());
    else if (character === '[') stack.push(null);
    else if (character === '}' || character === ']') stack.pop();
    else if (character === '"') {
      const end = endOfString(text, at);
      const names = stack.at(-1);
      if (names && isName(text, end)) {
        const name: string = JSON.parse(text.slice(at, end + 1));
        if (names.has(name)) return name;
        names.add(name);
      }
      at = end;
    }
  }
  return null;
}

/** Where the closing quote of the string that begins here stands. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}

/** Of the strings in an object only names are followed by a colon. */
function isName(text: string, end: number): boolean {
  let at = end + 1;
  while (/\s/.test(text[at] ?? '')) at++;
  return text[at] === ':';
}
