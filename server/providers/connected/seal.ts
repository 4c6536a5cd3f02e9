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

export type CredentialSeal = ReturnType<typeof createCredentialSeal>;

export function createCredentialSeal(key: Buffer) {
  const keyId = createHash('sha256').update('key id').update(key).digest('hex').slice(0, 16);
  const sealer = createSealer(key);
  return {
    keyId,
    seal: (value: string, name: string): SealedCredential => ({
      keyId,
      sealed: sealer.seal(name, value).toString('base64'),
    }),
    /** Throws an error if it was encrypted with another key, or changed. */
    open({ keyId: usedKeyId, sealed }: SealedCredential, name: string): string {
      if (usedKeyId !== keyId) {
        throw new Error(
          'the API key was saved with another VIDGEN_SECRET; enter it again on the Providers page',
        );
      }
      return sealer.open(name, Buffer.from(sealed, 'base64'));
    },
  };
}
