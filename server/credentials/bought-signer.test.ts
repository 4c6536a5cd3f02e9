/** A bought certificate signs as our own does, and a wrong one is named before the start. */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { validate } from '../../proof/kit/c2pa-validators.ts';
import { inspectBytes, signBytes } from '../../proof/kit/credentials-fixture.ts';
import { resultVideoPath } from '../../proof/kit/result-server.ts';
import { deleteFolder, makeTemporaryFolder } from '../../proof/kit/temporary-folder.ts';
import { readBoughtSigner } from './bought-signer.ts';
import { splitPem } from './certificates.ts';

/** A signer with P-256, and the root that certified it; made for this test, until 2126. */
const chain = `-----BEGIN CERTIFICATE-----
MIIBzzCCAXagAwIBAgIUGPvLJRwXbePZTcwH/zYpdi9vb9AwCgYIKoZIzj0EAwIw
LDETMBEGA1UECgwKRXhhbXBsZSBDQTEVMBMGA1UEAwwMRXhhbXBsZSByb290MCAX
DTI2MTExOTAyMDgwOVoYDzIxMjYxMDI2MDIwODA5WjArMRAwDgYDVQQKDAdFeGFt
cGxlMRcwFQYDVQQDDA5FeGFtcGxlIHNpZ25lcjBZMBMGByqGSM49AgEGCCqGSM49
AwEHA0IABKgDtMaCxbkQ660mJO+ZRycK9K4PlGpBxWmgqrV0M5ayF6JZCL2v4VLx
LUZQNVp92v9yLFa8OYWGkuJ7XYS5GG6jdTBzMAwGA1UdEwEB/wQCMAAwDgYDVR0P
AQH/BAQDAgeAMBMGA1UdJQQMMAoGCCsGAQUFBwMEMB0GA1UdDgQWBBR12rC1v4xu
4jq6bCOciYoVZ2GDJzAfBgNVHSMEGDAWgBRN+WM1jQWNLZVkoGzn4xhg8laE0zAK
BggqhkjOPQQDAgNHADBEAiA9Pt0KDvg5fdBn4YXwG2bslp1c0cfjePJK68JwgXIw
TQIgRRZAfe5AP1gr8QDCNw6JG1kFX1gzzrqR8ztdiyFnW1k=
-----END CERTIFICATE-----
-----BEGIN CERTIFICATE-----
MIIBvzCCAWWgAwIBAgIUMPz9WOhGNb6aqxUAlTxWWA88CR8wCgYIKoZIzj0EAwIw
LDETMBEGA1UECgwKRXhhbXBsZSBDQTEVMBMGA1UEAwwMRXhhbXBsZSByb290MCAX
DTI2MTExOTAyMDgwOFoYDzIxMjYxMDI2MDIwODA4WjAsMRMwEQYDVQQKDApFeGFt
cGxlIENBMRUwEwYDVQQDDAxFeGFtcGxlIHJvb3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASFhl5j1qkVwznx6Yxd7k5dR1sAI7TSz8SHAgT+00XmcKnOxgUxDr5G
EpY2ouYGeMtnq5ig1/FJ4yoV8PThd1Tzo2MwYTAdBgNVHQ4EFgQUTfljNY0FjS2V
ZKBs5+MYYPJWhNMwHwYDVR0jBBgwFoAUTfljNY0FjS2VZKBs5+MYYPJWhNMwDwYD
VR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8EBAMCAgQwCgYIKoZIzj0EAwIDSAAwRQIg
R7LxYapfh8E2Ke+rBfGOGyveNr43Ovhea+44iZ5kFd0CIQCeZ8fCXRmDLtyCUSiy
N6ExyK9vVpC9nxbc+JSI+mWfog==
-----END CERTIFICATE-----
`;
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgkc39rfB3NKD3SHZO
hP5rpz8VQTYGrBi/EnWcCausRGShRANCAASoA7TGgsW5EOutJiTvmUcnCvSuD5Rq
QcVpoKq1dDOWsheiWQi9r+FS8S1GUDVafdr/cixWvDmFhpLie12EuRhu
-----END PRIVATE KEY-----
`;
const folder = makeTemporaryFolder('bought');
after(() => deleteFolder(folder));

async function read(certificateText: string, keyText: string) {
  const files = { certificate: join(folder, 'chain.pem'), key: join(folder, 'key.pem') };
  await writeFile(files.certificate, certificateText);
  await writeFile(files.key, keyText);
  return readBoughtSigner(files);
}

test('signs with ECDSA, without the root', async () => {
  const signer = await read(chain, key);
  assert.deepEqual([signer.algorithm, signer.chain.length], ['ES256', 1]);
  const { bytes, state } = await signBytes(folder, await readFile(resultVideoPath), {
    signedBy: signer,
  });
  assert.equal(state, 'signed');
  const root = splitPem(chain)[1]!;
  assert.deepEqual(await validate(bytes, root), { rust: true, typescript: true });
  const { publicKey } = new X509Certificate(chain);
  const known = { ...signer, publicKey, marks: [] };
  assert.equal((await inspectBytes(bytes, { keys: [known] })).state, 'valid');
});

test('names what is wrong', async () => {
  const root = splitPem(chain)[1]!;
  await assert.rejects(read('', key), /VIDGEN_C2PA_CERT must name a file with certificates/);
  await assert.rejects(read(chain, 'x'), /VIDGEN_C2PA_KEY must name a file with a private key/);
  await assert.rejects(read(root, key), /VIDGEN_C2PA_KEY is not the key of the first certificate/);
  const missing = { certificate: join(folder, 'none'), key: '' };
  assert.throws(() => readBoughtSigner(missing), /VIDGEN_C2PA_CERT names a file that cannot be/);
});
