/** Errors of an object store, told apart by what an operator or a retry can do about them. */
import { elementText } from './s3-xml.ts';
import { StorageError, type StorageErrorKind } from './storage-error.ts';

export type S3Failure = {
  readonly status: number;
  /** The store's own code; empty if the response has no body, as that to HEAD. */
  readonly code: string;
};

const kindOfCode: Readonly<Record<string, StorageErrorKind>> = {
  NoSuchKey: 'not_found',
  NoSuchUpload: 'not_found',
  NoSuchBucket: 'not_found',
  PreconditionFailed: 'exists',
  ConditionalRequestConflict: 'exists',
  SlowDown: 'throttled',
  Throttling: 'throttled',
  TooManyRequests: 'throttled',
  RequestTimeout: 'unreachable',
  QuotaExceeded: 'full',
  EntityTooLarge: 'full',
  InsufficientStorage: 'full',
  XMinioStorageFull: 'full',
  BadDigest: 'damaged',
  XAmzContentSHA256Mismatch: 'damaged',
  ExpiredToken: 'not_allowed',
};

const kindOfStatus: Readonly<Record<number, StorageErrorKind>> = {
  401: 'not_allowed',
  403: 'not_allowed',
  404: 'not_found',
  // Another region, or another endpoint.
  301: 'not_allowed',
  307: 'not_allowed',
  408: 'unreachable',
  409: 'exists',
  412: 'exists',
  413: 'full',
  429: 'throttled',
  502: 'unreachable',
  503: 'throttled',
  504: 'unreachable',
  507: 'full',
};

const remedies: Readonly<Record<StorageErrorKind, string>> = {
  not_found: 'it was deleted or never stored',
  not_allowed: 'check the credentials and the policy of the bucket',
  throttled: 'it is retried; raise the request limit of the store if this continues',
  unreachable: 'it is retried; check the endpoint and the network',
  full: 'free space in the bucket or raise its quota',
  exists: 'another writer was first',
  damaged: 'it is sent again; check the network and proxies in front of the store',
  failed: 'see the message of the store',
};

const remedyOfCode: Readonly<Record<string, string>> = {
  NoSuchBucket: 'create the bucket, or correct its name in VIDGEN_STORAGE_URL',
  SignatureDoesNotMatch: 'check AWS_SECRET_ACCESS_KEY, and region and endpoint of the URL',
  InvalidAccessKeyId: 'check AWS_ACCESS_KEY_ID',
  ExpiredToken: 'the credentials have expired; provide new ones',
  RequestTimeTooSkewed: 'set the clock of this machine',
  AuthorizationHeaderMalformed: 'set the region of VIDGEN_STORAGE_URL to that of the bucket',
  PermanentRedirect: 'set region and endpoint of VIDGEN_STORAGE_URL to those of the bucket',
};

export const failureOf = (status: number, body: string): S3Failure => ({
  status,
  code: elementText(body, 'Code') ?? '',
});

export function s3Error(operation: string, { status, code }: S3Failure): StorageError {
  const kind = kindOfCode[code] ?? kindOfStatus[status] ?? 'failed';
  const remedy = remedyOfCode[code] ?? remedies[kind];
  const response = [status, code].filter((part) => part !== '').join(' ');
  const message = `${operation} at the object store failed (${response}); ${remedy}`;
  return new StorageError(kind, { code: code || String(status), message });
}

export function connectionError(operation: string, cause: unknown): StorageError {
  const { code = 'no response' } = cause as NodeJS.ErrnoException;
  const message = `${operation} at the object store failed (${code}); ${remedies.unreachable}`;
  return new StorageError('unreachable', { code, message, cause });
}

/** Whether the same request can succeed in a moment. */
export const canRetry = ({ status, code }: S3Failure): boolean =>
  [408, 429, 500, 502, 503, 504].includes(status) ||
  ['SlowDown', 'RequestTimeout', 'InternalError', 'BadDigest'].includes(code) ||
  code === 'XAmzContentSHA256Mismatch';

/** Whether other credentials could be accepted. */
export const isCredentialFailure = ({ status, code }: S3Failure): boolean =>
  ['ExpiredToken', 'InvalidAccessKeyId', 'InvalidToken', 'TokenRefreshRequired'].includes(code) ||
  code === 'SignatureDoesNotMatch' ||
  (status === 403 && code === '');
