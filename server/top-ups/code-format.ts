/**
 * Format of a redemption code: `VG-` and five groups of four characters of Crockford's base32, with
 * 95 random bits. Lists show the last four characters, which leaves 80 bits secret. The last
 * character is a check digit, so that a typo is recognized without a lookup.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { nowMs } from '../process/clock.ts';

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const charactersTotal = 20;
const prefix = 'VG';

/** Returns a new code. The caller shows it once and must not store it. */
export function generateCode(): string {
  const digits = Array.from(randomBytes(charactersTotal - 1), (byte) => byte % alphabet.length);
  return formatCode([...digits, checkDigitOf(digits)].map((digit) => alphabet[digit]).join(''));
}

/**
 * Returns the code in canonical form, ignoring case, dashes and spaces and mapping letters that
 * look like digits; null if it is not a code. Does not check that the code exists.
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
 * Keyed with the installation's secret: write access to the database alone is not enough to insert
 * a code. A fast hash is enough for 80 random bits.
 */
export const digestCode = (code: string, pepper: Buffer): string =>
  createHmac('sha256', pepper).update(code).digest('hex');

const formatCode = (body: string): string => `${prefix}-${body.match(/.{4}/g)!.join('-')}`;

/**
 * Horner's rule over the field of 32 elements: one wrong character or any two swapped ones always
 * change the check digit, because the weights of all positions differ.
 */
const checkDigitOf = (digits: readonly number[]): number =>
  digits.reduce((sum, digit) => doubled(sum ^ digit), 0);

/** Multiplies by x, modulo x^5 + x^2 + 1. */
const doubled = (value: number): number => (value & 16 ? (value << 1) ^ 0b100101 : value << 1);

/**
 * Returns an ID of a code or checkout, which sorts by creation time and cannot be guessed: ten
 * characters of milliseconds, then 80 random bits.
 */
export function newId(kind: 'code' | 'checkout'): string {
  const time = Array.from({ length: 10 }, (_, at) => Math.floor(nowMs() / 32 ** (9 - at)) % 32);
  const random = Array.from(randomBytes(16), (byte) => byte % 32);
  const digits = [...time, ...random].map((digit) => alphabet[digit]!.toLowerCase());
  return `${kind}_${digits.join('')}`;
}
