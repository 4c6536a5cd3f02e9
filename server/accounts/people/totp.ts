/**
 * Time-based one-time passwords (RFC 6238) as authenticator apps make them: HMAC-SHA-1, 6 digits,
 * 30 seconds. A code of the previous or the next step is accepted, for clocks that differ.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const stepSeconds = 30;
const digits = 6;
const stepsApart = 1;
/** RFC 4226, 4: 160 bits are recommended. */
const secretBytes = 20;

export const newTotpSecret = (): Buffer => randomBytes(secretBytes);

/** The code of a step (RFC 4226, 5.3). */
export function totpCode(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', secret).update(counter).digest();
  const offset = digest.at(-1)! & 0x0f;
  const number = (digest.readUInt32BE(offset) & 0x7fff_ffff) % 10 ** digits;
  return String(number).padStart(digits, '0');
}

export const totpStep = (unixSeconds: number): number => Math.floor(unixSeconds / stepSeconds);

/**
 * Returns the step that the code belongs to, or null. Steps up to `lastStep` are not accepted,
 * because one of their codes was used before.
 */
export function findTotpStep(
  secret: Buffer,
  { code, unixSeconds, lastStep }: { code: string; unixSeconds: number; lastStep: number },
): number | null {
  const now = totpStep(unixSeconds);
  let found: number | null = null;
  // Without an early end, so that timing does not tell which step it was.
  for (let step = now - stepsApart; step <= now + stepsApart; step++) {
    const isEqual = timingSafeEqual(Buffer.from(totpCode(secret, step)), paddedCode(code));
    if (isEqual && step > lastStep) found = step;
  }
  return found;
}

const paddedCode = (code: string): Buffer =>
  /^\d{6}$/.test(code) ? Buffer.from(code) : Buffer.alloc(digits);

const base32Letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** RFC 4648, 6, without padding: the form in which apps take a secret. */
export function base32(bytes: Buffer): string {
  let [bits, value, text] = [0, 0, ''];
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += base32Letters[(value >> bits) & 31];
    }
  }
  return bits > 0 ? text + base32Letters[(value << (5 - bits)) & 31] : text;
}

/** What the QR code of an enrollment contains, in the format of Google Authenticator. */
export function totpUrl(secret: Buffer, { issuer, email }: { issuer: string; email: string }) {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(email)}`;
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=${encodeURIComponent(issuer)}`;
}
