/**
 * Checks Signature V4 of a request or a presigned URL, from what arrived over the wire, by signing
 * it again: the examples of AWS prove the signature itself, in `storage/s3-signature.test.ts`.
 */
import type { IncomingMessage } from 'node:http';
import { presignQuery, sha256Hex, signRequest } from '../../server/storage/s3-signature.ts';

type Store = {
  readonly keys: ReadonlyMap<string, string>;
  readonly sessionToken: string | null;
  readonly body: Buffer;
  readonly nowMs: number;
  readonly region: string;
};

const skewMsMax = 15 * 60_000;
const presignedSecondsMax = 604_800;

/** Returns S3's error code, or null if the request is signed correctly. */
export function signatureProblem(request: IncomingMessage, store: Store): string | null {
  const url = new URL(request.url!, 'http://store');
  const query = Object.fromEntries(url.searchParams);
  const isPresigned = 'X-Amz-Signature' in query;
  const read = (name: string) =>
    isPresigned ? query[`X-Amz-${name}`] : request.headers[`x-amz-${name.toLowerCase()}`];
  const { authorization = '' } = request.headers;
  const [, signed = '', names = ''] =
    /Credential=(\S+), SignedHeaders=(\S+), /.exec(authorization) ?? [];
  const [accessKeyId = '', , region] = (query['X-Amz-Credential'] ?? signed).split('/');
  const secretAccessKey = store.keys.get(accessKeyId);
  if (accessKeyId === '') return 'AccessDenied';
  if (secretAccessKey === undefined) return 'InvalidAccessKeyId';
  const sessionToken = String(read('Security-Token') ?? '') || null;
  if (sessionToken !== store.sessionToken) return 'InvalidToken';
  if (region !== store.region) return 'AuthorizationHeaderMalformed';
  const atMs = Date.parse(
    String(read('Date')).replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'),
  );
  const seconds = Number(query['X-Amz-Expires']);
  const isLate = store.nowMs > atMs + seconds * 1000 || seconds > presignedSecondsMax;
  if (isPresigned && isLate) return 'AccessDenied';
  if (!isPresigned && Math.abs(store.nowMs - atMs) > skewMsMax) return 'RequestTimeTooSkewed';
  const signing = { credentials: { accessKeyId, secretAccessKey, sessionToken }, region, atMs };
  const host = request.headers.host!;
  const path = decodeURIComponent(url.pathname);
  const asked = { method: request.method!, host, path };
  if (isPresigned) {
    const own = Object.entries(query).filter(([name]) => !name.startsWith('X-Amz-'));
    const expected = presignQuery({ ...asked, query: Object.fromEntries(own), seconds }, signing);
    const isEqual = expected.endsWith(`&X-Amz-Signature=${query['X-Amz-Signature']}`);
    return isEqual ? null : 'SignatureDoesNotMatch';
  }
  const payload = String(read('Content-SHA256'));
  const headers = Object.fromEntries(
    names.split(';').map((name) => [name, String(request.headers[name] ?? '')]),
  );
  const again = signRequest({ ...asked, query, headers, payload }, signing);
  if (again.authorization !== authorization) return 'SignatureDoesNotMatch';
  return payload === sha256Hex(store.body) ? null : 'XAmzContentSHA256Mismatch';
}
