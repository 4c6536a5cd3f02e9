/**
 * What others chose, in our mails and notices: names of accounts, people and keys, hosts, errors of
 * an upstream. It is shortened and cannot become a link, which readers would take for ours.
 */

const charactersMax = 80;

/**
 * Removes control and direction characters and URLs, and shortens. The invisible joiner after each
 * dot, colon and at sign keeps mail programs from turning `evil.example` into a link.
 */
export function plainName(name: string): string {
  const words = name
    .slice(0, 2000)
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .split(/\s+/)
    .map((word) => (/[/\\]{2}|www\P{L}/iu.test(word) ? '…' : word));
  const characters = [...words.join(' ')];
  const isLong = characters.length > charactersMax;
  const short = isLong ? [...characters.slice(0, charactersMax - 1), '…'] : characters;
  return short
    .join('')
    .replaceAll(/([.:@\u2024\u3002\ufe52\uff0e\uff1a\uff20\uff61])(?=\S)/g, '$1\u2060');
}
