/**
 * Encrypts credentials of providers for the database: AES-256-GCM with a key of the installation.
 * The name of the credential is authenticated, so that a row cannot be moved to another provider.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

export type SealedCredential = {
  /** Tells which key it was encrypted with, and nothing about that key. */
  readonly keyId: string;
  /** Nonce, ciphertext and tag, in base64. */
  readonly sealed: string;
};

export type CredentialSeal = {
  seal(value: string, name: string): SealedCredential;
  /**
   * Throws `CredentialLocked` if it was encrypted with another key, and an error if it was changed.
   */
  open(credential: SealedCredential, name: string): string;
  readonly keyId: string;
};

/** The credential was encrypted with another `VIDGEN_SECRET`. */
export class CredentialLocked extends Error {
  override readonly name = 'CredentialLocked';
}

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

export function createCredentialSeal(key: Buffer): CredentialSeal {
  const keyId = createHash('sha256').update('key id').update(key).digest('hex').slice(0, 16);
  return {
    keyId,
    seal(value, name) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(name));
      const encrypted = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()]);
      const sealed = Buffer.concat([nonce, encrypted, cipher.getAuthTag()]).toString('base64');
      return { keyId, sealed };
    },
    open({ keyId: usedKeyId, sealed }, name) {
      if (usedKeyId !== keyId) {
        throw new CredentialLocked(
          'the API key was saved with another VIDGEN_SECRET; enter it again on the Providers page',
        );
      }
      const bytes = Buffer.from(sealed, 'base64');
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), {
        authTagLength: tagBytes,
      });
      decipher.setAAD(Buffer.from(name)).setAuthTag(bytes.subarray(-tagBytes));
      const encrypted = bytes.subarray(nonceBytes, -tagBytes);
      return Buffer.concat([decipher.update(encrypted), decipher.final()]).toString('utf8');
    },
  };
}
