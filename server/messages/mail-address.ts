/** Email addresses that can be put into SMTP and a header: one mailbox, nothing to escape. */

/** No quoted local parts, comments, lists or groups, which parsers read differently. */
const addressPattern = /^[^\s@"(),:;<>[\]\\\p{C}]{1,64}@[^\s@"(),:;<>[\]\\\p{C}]{1,189}$/u;

export const isMailAddress = (text: string): boolean => addressPattern.test(text);

export type Sender = { readonly name: string; readonly address: string };

/** Reads `vidgen <no-reply@example.com>`, or the address alone; null if it is neither. */
export function parseSender(text: string): Sender | null {
  const named = /^([^<>\p{C}]{0,100})<([^<>]{1,260})>$/u.exec(text);
  const address = (named?.[2] ?? text).trim();
  const name = (named?.[1] ?? '').trim().replace(/^"(.*)"$/, '$1');
  return isMailAddress(address) ? { name: name || 'vidgen', address } : null;
}
