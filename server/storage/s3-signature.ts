/**
 * AWS Signature Version 4 for S3: of requests, and of URLs that anyone can open until they expire.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
import { createHash, createHmac } from 'node:crypto';

export type S3Credentials = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of temporary credentials. */
  readonly sessionToken: string | null;
};

/** What is signed. `path` and `query` are not encoded yet. */
type SignedRequest = {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
};

export type Signing = {
  readonly credentials: S3Credentials;
  readonly region: string;
  readonly atMs: number;
};

const algorithm = 'AWS4-HMAC-SHA256';

export const sha256Hex = (content: string | Uint8Array): string =>
  createHash('sha256').update(content).digest('hex');

/** Returns the headers to send: those given, with names in lower case, and the signature. */
export function signRequest(
  request: SignedRequest & {
    readonly headers: Readonly<Record<string, string>>;
    /** SHA-256 of the body, in hex: the store rejects a body that differs. */
    readonly payload: string;
  },
  { credentials, region, atMs }: Signing,
): Record<string, string> {
  const { sessionToken } = credentials;
  const stamp = stampOf(atMs);
  const headers: Record<string, string> = {
    ...request.headers,
    host: request.host,
    'x-amz-content-sha256': request.payload,
    'x-amz-date': stamp,
    ...(sessionToken === null ? {} : { 'x-amz-security-token': sessionToken }),
  };
  const signing = { secret: credentials.secretAccessKey, region, stamp };
  const signature = signatureOf({ ...request, headers }, signing);
  const credential = `${credentials.accessKeyId}/${scopeOf(signing)}`;
  const fields = [`Credential=${credential}`, `SignedHeaders=${namesOf(headers)}`];
  const authorization = `${algorithm} ${[...fields, `Signature=${signature}`].join(', ')}`;
  return { ...headers, authorization };
}

/** Returns the query of a URL that the method may be used with for so many seconds. */
export function presignQuery(
  request: SignedRequest & { readonly seconds: number },
  { credentials, region, atMs }: Signing,
): string {
  const { accessKeyId, secretAccessKey: secret, sessionToken } = credentials;
  const signing = { secret, region, stamp: stampOf(atMs) };
  const query: Record<string, string> = {
    ...request.query,
    'X-Amz-Algorithm': algorithm,
    'X-Amz-Credential': `${accessKeyId}/${scopeOf(signing)}`,
    'X-Amz-Date': signing.stamp,
    'X-Amz-Expires': String(request.seconds),
    'X-Amz-SignedHeaders': 'host',
    ...(sessionToken === null ? {} : { 'X-Amz-Security-Token': sessionToken }),
  };
  const headers = { host: request.host };
  const signed = { ...request, query, headers, payload: 'UNSIGNED-PAYLOAD' };
  return `${encodeQuery(query)}&X-Amz-Signature=${signatureOf(signed, signing)}`;
}

type SigningKey = { readonly secret: string; readonly region: string; readonly stamp: string };

function signatureOf(
  request: SignedRequest & {
    readonly headers: Readonly<Record<string, string>>;
    readonly payload: string;
  },
  signing: SigningKey,
): string {
  const { method, path, query, headers, payload } = request;
  const names = Object.keys(headers).sort();
  const canonical = [
    method,
    encodePath(path),
    encodeQuery(query),
    ...names.map((name) => `${name}:${headers[name]!.trim()}`),
    '',
    names.join(';'),
    payload,
  ].join('\n');
  const text = [algorithm, signing.stamp, scopeOf(signing), sha256Hex(canonical)].join('\n');
  const day = signing.stamp.slice(0, 8);
  const key = [day, signing.region, 's3', 'aws4_request'].reduce<string | Buffer>(
    (derived, part) => createHmac('sha256', derived).update(part).digest(),
    `AWS4${signing.secret}`,
  );
  return createHmac('sha256', key).update(text).digest('hex');
}

const scopeOf = ({ stamp, region }: SigningKey): string =>
  `${stamp.slice(0, 8)}/${region}/s3/aws4_request`;

const namesOf = (headers: Readonly<Record<string, string>>): string =>
  Object.keys(headers).sort().join(';');

/** Such as `20261116T165000Z`. */
const stampOf = (atMs: number): string => new Date(atMs).toISOString().replace(/[-:]|\.\d{3}/g, '');

/** RFC 3986: everything but letters, digits and `-._~`. */
const encodePart = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

export const encodePath = (path: string): string => path.split('/').map(encodePart).join('/');

export const encodeQuery = (query: Readonly<Record<string, string>>): string =>
  Object.entries(query)
    .map(([name, value]) => [encodePart(name), encodePart(value)] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
