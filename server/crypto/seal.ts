/**
 * Encrypts what must not be readable in the database, in a backup or in a browser: mail with
 * one-time links, credentials of providers, secrets of second factors, cookies. AES-256-GCM, bound
 * to an ID.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

export type Sealer = {
  seal(id: string, text: string): Buffer;
  /** Throws if the bytes were changed, or sealed with another key or for another ID. */
  open(id: string, sealed: Buffer): string;
};

export function createSealer(key: Buffer): Sealer {
  return {
    seal(id, text) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(id));
      const encrypted = [cipher.update(text, 'utf8'), cipher.final()];
      return Buffer.concat([nonce, cipher.getAuthTag(), ...encrypted]);
    },
    open(id, sealed) {
      const nonce = sealed.subarray(0, nonceBytes);
      // Without a length, a shorter and therefore weaker tag would be accepted.
      const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
        .setAAD(Buffer.from(id))
        .setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
      const encrypted = sealed.subarray(nonceBytes + tagBytes);
      return Buffer.concat([decipher.update(encrypted), decipher.final()]).toString('utf8');
    },
  };
}
