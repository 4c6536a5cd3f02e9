/**
 * Format of an API key: `vg_live_` or `vg_test_`, 43 base62 characters of randomness (256 bits) and
 * a 6-character CRC-32. Secret scanners can recognize a key, a typo is rejected without a database
 * lookup, and only the digest is stored.
 */
import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { KeyMode } from '@vidgen/contract/models.ts';
import { deriveKey } from '../installation-secret.ts';

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomnessLength = 43; // 62^43 is just above 2^256.
const checksumLength = 6; // 62^6 is above 2^32.

/** For secret scanners; a match must still pass `parseKeyMode`. */
const apiKeyPattern = /^vg_(live|test)_[0-9A-Za-z]{49}$/;

/** Returns a new key. The caller shows it once and must not store it. */
export function generateKey(mode: KeyMode): string {
  const body = `vg_${mode}_${base62(bigintOf(randomBytes(32)), randomnessLength)}`;
  return body + checksum(body);
}

/** Returns the mode of a well-formed key, or null. Does not check that the key exists. */
export function parseKeyMode(text: string): KeyMode | null {
  const match = apiKeyPattern.exec(text);
  if (!match || checksum(text.slice(0, -checksumLength)) !== text.slice(-checksumLength))
    return null;
  return match[1] as KeyMode;
}

/** `key_` and 128 random bits: identifies a key in lists, logs and URLs without revealing it. */
export function generateKeyId(): string {
  return `key_${base62(bigintOf(randomBytes(16)), 22)}`;
}

/**
 * Mixed into every digest: read or write access to the database alone is not enough to test or
 * insert a key.
 */
export function keyPepper(secret: string): KeyObject {
  // An HMAC with a KeyObject is eight times as fast as one with a Buffer.
  return createSecretKey(deriveKey(secret, 'api-key-pepper-1'));
}

/**
 * The stored form of a key. A fast hash is enough: slow hashes protect guessable passwords, and 256
 * random bits cannot be guessed.
 */
export function digestKey(key: string, pepper: KeyObject): string {
  return createHmac('sha256', pepper).update(key).digest('hex');
}

/**
 * The parts of a key that may be shown at any time: enough to tell keys apart, too little to use.
 */
export function displayParts(key: string): { prefix: string; lastFour: string } {
  return { prefix: key.slice(0, 12), lastFour: key.slice(-4) };
}

function checksum(body: string): string {
  let [value, text] = [crc32(body), ''];
  while (text.length < checksumLength) {
    text = digits[value % 62]! + text;
    value = Math.floor(value / 62);
  }
  return text;
}

function bigintOf(bytes: Buffer): bigint {
  return BigInt(`0x${bytes.toString('hex')}`);
}

function base62(value: bigint, length: number): string {
  let text = '';
  for (let remaining = value; remaining > 0n; remaining /= 62n)
    text = digits[Number(remaining % 62n)] + text;
  return text.padStart(length, '0');
}
