/**
 * Finds duplicate keys in JSON. `JSON.parse` takes the last value and a proxy may have taken the
 * first (RFC 8259, 4), so such a body is rejected.
 */

/** Returns the first duplicate key of any object, or null. `text` must be valid JSON. */
export function findDuplicateKey(text: string): string | null {
  /** The keys of each enclosing object; null for an array. */
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

/** The index of the closing quote of the string that starts at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}

/** In an object, only keys are followed by a colon. */
function isName(text: string, end: number): boolean {
  let at = end + 1;
  // The white space of JSON is a space, a tab or a line break.
  while (text.charCodeAt(at) <= 0x20) at++;
  return text[at] === ':';
}
