/**
 * What an API key looks like: `vg_live_` or `vg_test_`, 43 base62 characters of randomness (256
 * bits) and 6 of CRC-32 over everything before. Secret scanners can recognise one, a mistyped one
 * is refused without a look-up, and only its digest is ever stored.
 */
import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { KeyMode } from '@vidgen/contract/models.ts';
import { deriveKey } from './installation-secret.ts';

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomnessLength = 43; // 62^43 is just above 2^256.
const checksumLength = 6; // 62^6 is above 2^32.

/** For secret scanners; a match still has to pass `recogniseKey`. */
export const apiKeyPattern = /^vg_(live|test)_[0-9A-Za-z]{49}$/;

/** A new key. Whoever calls shows it once and forgets it. */
export function generateKey(mode: KeyMode): string {
  const body = `vg_${mode}_${base62(bigintOf(randomBytes(32)), randomnessLength)}`;
  return body + checksum(body);
}

/** The mode of a well-formed key, null for anything else. Says nothing about whether it exists. */
export function parseKeyMode(text: string): KeyMode | null {
  const match = apiKeyPattern.exec(text);
  if (!match || checksum(text.slice(0, -checksumLength)) !== text.slice(-checksumLength))
    return null;
  return match[1] as KeyMode;
}

/** `key_` and 128 random bits: names a key in lists, logs and addresses without being one. */
export function generateKeyId(): string {
  return `key_${base62(bigintOf(randomBytes(16)), 22)}`;
}

/** Mixed into every digest, so that reading the database lets nobody test or plant a key. */
export function keyPepper(secret: string): KeyObject {
  // As a key object, not as bytes: that makes a digest eight times as fast.
  return createSecretKey(deriveKey(secret, 'api-key-pepper-1'));
}

/**
 * What is stored and looked up instead of the key. Fast on purpose: slow hashes protect guessable
 * passwords, and nobody guesses 256 bits.
 */
export function digestKey(key: string, pepper: KeyObject): string {
  return createHmac('sha256', pepper).update(key).digest('hex');
}

/** What may be shown of a key for ever: enough to tell it from others, too little to use. */
export function displayParts(key: string): { prefix: string; lastFour: string } {
  return { prefix: key.slice(0, 12), lastFour: key.slice(-4) };
}

function checksum(body: string): string {
  return base62(BigInt(crc32(body)), checksumLength);
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
