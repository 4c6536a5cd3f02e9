/**
 * Why an outbound request failed, as a code that is safe to show: it never contains the resolved
 * address, a banner or text from the peer, so customers cannot use it to map a network.
 */

export type FailureCode =
  /** The URL, or an address it resolves or redirects to, is forbidden. */
  | 'refused_address'
  /** The name has no address, or DNS did not respond in time. */
  | 'dns'
  /** No address of the host accepted the connection. */
  | 'connect'
  /** The certificate is not trusted or not for this host, or the handshake failed. */
  | 'tls'
  | 'timeout'
  /** The request ended while all our sockets to the host were in use: the host was not asked. */
  | 'no_slot'
  /** The connection ended before the response did. */
  | 'closed'
  /** The response is not HTTP/1.1, its headers exceed 16 KiB, or 64 KiB arrive before them. */
  | 'protocol'
  | 'redirects'
  /** More bytes than the caller allowed. */
  | 'too_large'
  /** The caller canceled the request, or the process is stopping. */
  | 'cancelled';

/** Thrown inside this folder and by the `stream` of a response; elsewhere failures are results. */
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

/** The code for an error after the connection was made. Rethrows programming errors. */
export function toFailureCode(error: unknown): FailureCode {
  if (error instanceof EgressFailure) return error.code;
  if (error instanceof TypeError) throw error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return closedCodes.has(code) ? 'closed' : 'protocol';
}
