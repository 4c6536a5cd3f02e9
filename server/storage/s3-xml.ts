/** Reads the few XML documents of S3. What is looked for has no attributes and no nesting. */

/** The text of the first element of this name; null if there is none. */
export function elementText(xml: string, name: string): string | null {
  const [first] = elementsOf(xml, name);
  return first === undefined ? null : unescapeXml(first);
}

/** The inner text of every element of this name, still escaped. */
export function elementsOf(xml: string, name: string): string[] {
  const found: string[] = [];
  const [open, close] = [`<${name}>`, `</${name}>`];
  for (let at = xml.indexOf(open); at >= 0; at = xml.indexOf(open, at)) {
    const end = xml.indexOf(close, at);
    if (end < 0) break;
    found.push(xml.slice(at + open.length, end));
    at = end + close.length;
  }
  return found;
}

const named: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  amp: '&',
};

const unescapeXml = (text: string): string =>
  text.replace(
    /&(?:#x([0-9a-fA-F]{1,6})|#([0-9]{1,7})|([a-z]{2,4}));/g,
    (whole, hex, code, name) => {
      if (name !== undefined) return named[name as string] ?? whole;
      const point = hex === undefined ? Number(code) : Number.parseInt(hex as string, 16);
      return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
    },
  );

export const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
