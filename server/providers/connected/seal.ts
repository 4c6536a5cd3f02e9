/**
 * Encrypts credentials of providers for the database with a key of the installation. They are bound
 * to their name, so that a row cannot be moved to another provider.
 */
import { createHash } from 'node:crypto';
import { createSealer } from '../../crypto/seal.ts';

export type SealedCredential = {
  /** Tells which key it was encrypted with, and nothing about that key. */
  readonly keyId: string;
  /** In base64. */
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

export function createCredentialSeal(key: Buffer): CredentialSeal {
  const keyId = createHash('sha256').update('key id').update(key).digest('hex').slice(0, 16);
  const sealer = createSealer(key);
  return {
    keyId,
    seal: (value, name) => ({ keyId, sealed: sealer.seal(name, value).toString('base64') }),
    open({ keyId: usedKeyId, sealed }, name) {
      if (usedKeyId !== keyId) {
        throw new CredentialLocked(
          'the API key was saved with another VIDGEN_SECRET; enter it again on the Providers page',
        );
      }
      return sealer.open(name, Buffer.from(sealed, 'base64'));
    },
  };
}
