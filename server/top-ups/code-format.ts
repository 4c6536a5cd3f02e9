/**
 * What a redemption code looks like: `VG-` and five groups of four characters of Crockford's
 * base32: 95 random bits, of which the last four characters, which lists show, leave 80 secret. The
 * last character is a check, so that a mistyped code is told from a wrong one without a look-up.
 */
import { createHmac, randomBytes } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const charactersTotal = 20;
const prefix = 'VG';

/** A new code. Whoever calls shows it once and forgets it. */
export function generateCode(): string {
  const digits = Array.from(randomBytes(charactersTotal - 1), (byte) => byte % alphabet.length);
  return formatCode([...digits, checkDigitOf(digits)].map((digit) => alphabet[digit]).join(''));
}

/**
 * The code as it was handed out, whatever became of its case, dashes and spaces, or of the letters
 * that look like digits; null for what is no code. Says nothing about whether it exists.
 */
export function parseCode(text: string): string | null {
  const normalized = text
    .toUpperCase()
    .replace(/[\s\u2010-\u2015_-]/g, '')
    .replace(/O/g, '0')
    .replace(/[IL]/g, '1');
  const hasPrefix =
    normalized.length === prefix.length + charactersTotal && normalized.startsWith(prefix);
  const body = hasPrefix ? normalized.slice(prefix.length) : normalized;
  const digits = Array.from(body, (character) => alphabet.indexOf(character));
  if (digits.length !== charactersTotal || digits.includes(-1)) return null;
  return checkDigitOf(digits.slice(0, -1)) === digits.at(-1) ? formatCode(body) : null;
}

/**
 * Mixed with a key of the installation, so that reading the database lets nobody plant a code. Fast
 * on purpose: nobody guesses 80 bits.
 */
export const digestCode = (code: string, pepper: Buffer): string =>
  createHmac('sha256', pepper).update(code).digest('hex');

const formatCode = (body: string): string => `${prefix}-${body.match(/.{4}/g)!.join('-')}`;

/**
 * Horner's rule over the field of 32 elements: one wrong character, or any two exchanged, always
 * give another check, because the weights of all places differ.
 */
const checkDigitOf = (digits: readonly number[]): number =>
  digits.reduce((sum, digit) => doubled(sum ^ digit), 0);

/** Times x, modulo x^5 + x^2 + 1. */
const doubled = (value: number): number => (value & 16 ? (value << 1) ^ 0b100101 : value << 1);
