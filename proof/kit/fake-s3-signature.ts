/** Checks Signature V4 of a request or a presigned URL, from what arrived over the wire. */
import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

type Store = {
  readonly keys: ReadonlyMap<string, string>;
  readonly sessionToken: string | null;
  readonly body: Buffer;
  /** The store's clock. */
  readonly nowMs: number;
  readonly region: string;
};

const skewMsMax = 15 * 60_000;
const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');
const hmac = (key: string | Buffer, text: string) =>
  createHmac('sha256', key).update(text).digest();

/** Returns S3's error code, or null if the request is signed correctly. */
export function signatureProblem(request: IncomingMessage, store: Store): string | null {
  const url = new URL(request.url!, 'http://store');
  const isPresigned = url.searchParams.has('X-Amz-Signature');
  const signed = isPresigned ? presignedParts(url) : headerParts(request);
  if (!signed) return 'AccessDenied';
  const { credential, names, signature, stamp, payload, token } = signed;
  const [id = '', day, region, service, end] = credential.split('/');
  const secret = store.keys.get(id);
  if (secret === undefined) return 'InvalidAccessKeyId';
  if (token !== store.sessionToken) return 'InvalidToken';
  if (region !== store.region) return 'AuthorizationHeaderMalformed';
  const atMs = Date.parse(
    stamp.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'),
  );
  const isLate = isPresigned && store.nowMs > atMs + signed.seconds * 1000;
  if (isLate || (isPresigned && signed.seconds > 604_800)) return 'AccessDenied';
  if (!isPresigned && Math.abs(store.nowMs - atMs) > skewMsMax) return 'RequestTimeTooSkewed';
  if (!names.includes('host')) return 'AccessDenied';
  const query = request
    .url!.split('?')
    .slice(1)
    .join('?')
    .split('&')
    .filter((part) => part !== '' && !part.startsWith('X-Amz-Signature='))
    .sort()
    .join('&');
  const canonical = [
    request.method,
    url.pathname,
    query,
    ...names.map((name) => `${name}:${String(request.headers[name] ?? '').trim()}`),
    '',
    names.join(';'),
    payload,
  ].join('\n');
  const scope = [day, region, service, end].join('/');
  const text = ['AWS4-HMAC-SHA256', stamp, scope, sha256(canonical)].join('\n');
  const key = [day!, region!, service!, end!].reduce<string | Buffer>(hmac, `AWS4${secret}`);
  if (hmac(key, text).toString('hex') !== signature) return 'SignatureDoesNotMatch';
  if (!isPresigned && payload !== sha256(store.body)) return 'XAmzContentSHA256Mismatch';
  return null;
}

function presignedParts(url: URL) {
  const read = (name: string) => url.searchParams.get(`X-Amz-${name}`) ?? '';
  return {
    credential: read('Credential'),
    names: read('SignedHeaders').split(';'),
    signature: read('Signature'),
    stamp: read('Date'),
    seconds: Number(read('Expires')),
    payload: 'UNSIGNED-PAYLOAD',
    token: url.searchParams.get('X-Amz-Security-Token'),
  };
}

function headerParts({ headers }: IncomingMessage) {
  const [, credential, names, signature] =
    /^AWS4-HMAC-SHA256 Credential=(\S+), SignedHeaders=(\S+), Signature=(\w+)$/.exec(
      headers.authorization ?? '',
    ) ?? [];
  if (!credential || !names || !signature) return null;
  return {
    credential,
    names: names.split(';'),
    signature,
    stamp: String(headers['x-amz-date']),
    seconds: 0,
    payload: String(headers['x-amz-content-sha256']),
    token: headers['x-amz-security-token'] ? String(headers['x-amz-security-token']) : null,
  };
}
