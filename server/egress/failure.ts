/**
 * Why an exchange with the outside failed, as a code that is safe to show: it never carries the
 * resolved address, a banner or the peer's words, so a customer cannot use us to map a network.
 */

export type FailureCode =
  /** The address, or one it resolves or redirects to, may not be reached. */
  | 'refused_address'
  /** The name has no address, or none was told in time. */
  | 'dns'
  /** No address of the host took the connection. */
  | 'connect'
  /** The certificate is not trusted or not for this host, or the handshake broke. */
  | 'tls'
  /** The total deadline passed. */
  | 'timeout'
  /** The connection ended before the answer did. */
  | 'closed'
  /** The answer is not HTTP/1.1, its header is over 16 KiB, or 64 KiB come before it. */
  | 'protocol'
  /** More redirects than we follow. */
  | 'redirects'
  /** More bytes than the caller wanted. */
  | 'too_large'
  /** The caller stopped it, or the process is ending. */
  | 'cancelled';

/** Travels inside this room and through the `stream` of an answer; a value everywhere else. */
export class EgressFailure extends Error {
  readonly code: FailureCode;

  constructor(code: FailureCode) {
    super(code);
    this.name = 'EgressFailure';
    this.code = code;
  }
}

const closedCodes = new Set([
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ERR_STREAM_PREMATURE_CLOSE',
]);

/** The code for what went wrong once connected. Our own mistakes are bugs and thrown on. */
export function toFailureCode(error: unknown): FailureCode {
  if (error instanceof EgressFailure) return error.code;
  if (error instanceof TypeError) throw error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return closedCodes.has(code) ? 'closed' : 'protocol';
}
