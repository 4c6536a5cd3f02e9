/** Signatures are those of the examples that AWS publishes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodePath, encodeQuery, presignQuery, sha256Hex, signRequest } from './s3-signature.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html */
const signing = {
  credentials: {
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    sessionToken: null,
  },
  region: 'us-east-1',
  atMs: Date.parse('2013-05-24T00:00:00Z'),
};
const host = 'examplebucket.s3.amazonaws.com';
const signatureIn = (text: string) => /Signature=([0-9a-f]{64})$/.exec(text)?.[1];

test('signs requests as the examples of AWS', () => {
  const get = { method: 'GET', host, query: {}, headers: {}, payload: sha256Hex('') };
  const examples = [
    [
      { ...get, path: '/test.txt', headers: { range: 'bytes=0-9' } },
      'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    ],
    [
      {
        ...get,
        method: 'PUT',
        path: '/test$file.text',
        headers: {
          date: 'Fri, 24 May 2013 00:00:00 GMT',
          'x-amz-storage-class': 'REDUCED_REDUNDANCY',
        },
        payload: sha256Hex('Welcome to Amazon S3.'),
      },
      '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
    ],
    [
      { ...get, path: '/', query: { lifecycle: '' } },
      'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
    ],
    [
      { ...get, path: '/', query: { 'max-keys': '2', prefix: 'J' } },
      '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
    ],
  ] as const;
  for (const [request, signature] of examples) {
    assert.equal(signatureIn(signRequest(request, signing).authorization!), signature);
  }
});

/** https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html */
test('presigns a URL as the example of AWS', () => {
  const request = { method: 'GET', host, path: '/test.txt', query: {}, seconds: 86_400 };
  assert.equal(
    signatureIn(presignQuery(request, signing)),
    'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  );
});

test('encodes everything but unreserved characters', () => {
  assert.equal(encodePath("/a b/~c'(d)*!+é"), '/a%20b/~c%27%28d%29%2A%21%2B%C3%A9');
  assert.equal(encodeQuery({ b: '1&2', a: '', 'a-b': '=' }), 'a=&a-b=%3D&b=1%262');
});

test('sends the token of temporary credentials, signed', () => {
  const credentials = { ...signing.credentials, sessionToken: 'a token' };
  const request = {
    method: 'GET',
    host,
    path: '/',
    query: {},
    headers: {},
    payload: sha256Hex(''),
  };
  const headers = signRequest(request, { ...signing, credentials });
  assert.equal(headers['x-amz-security-token'], 'a token');
  assert.match(headers.authorization!, /SignedHeaders=[^,]*;x-amz-security-token,/);
  const query = presignQuery({ ...request, seconds: 5 }, { ...signing, credentials });
  assert.match(query, /X-Amz-Security-Token=a%20token&/);
});
