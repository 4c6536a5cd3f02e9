/** A certificate that was bought, from the files that VIDGEN_C2PA_CERT and VIDGEN_C2PA_KEY name. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { algorithmOf, splitPem } from './certificates.ts';
import type { Signer } from './manifest.ts';

type Files = { readonly certificate: string; readonly key: string };

/** Throws an error with a message for the operator. */
export function readBoughtSigner({ certificate, key: keyFile }: Files): Signer {
  const chain = splitPem(readText('VIDGEN_C2PA_CERT', certificate)).map(parseCertificate);
  const [first] = chain;
  if (!first) throw new Error('VIDGEN_C2PA_CERT must name a file with certificates in PEM');
  const key = parseKey(readText('VIDGEN_C2PA_KEY', keyFile));
  if (!first.checkPrivateKey(key)) {
    throw new Error('VIDGEN_C2PA_KEY is not the key of the first certificate in VIDGEN_C2PA_CERT');
  }
  const algorithm = algorithmOf(first.publicKey);
  if (algorithm === null || first.ca) {
    const kinds = 'Ed25519, P-256, P-384 or RSA of at least 2,048 bits';
    throw new Error(`VIDGEN_C2PA_CERT must be the certificate of a signer with ${kinds}`);
  }
  // Validators have the root, and refuse it in a file.
  const sent = chain.filter((one, at) => at === 0 || one.subject !== one.issuer);
  return { key, algorithm, chain: sent.map(({ raw }) => raw) };
}

function readText(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`${name} names a file that cannot be read: ${(error as Error).message}`);
  }
}

function parseCertificate(pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw new Error('VIDGEN_C2PA_CERT has a certificate that cannot be read; export it again');
  }
}

function parseKey(pem: string) {
  try {
    return createPrivateKey(pem);
  } catch {
    throw new Error('VIDGEN_C2PA_KEY must name a file with a private key in PEM, without password');
  }
}
