/** What happened to a webhook without a response, from the error code of the service. */
import { capitalize } from '../components/value-labels.ts';

const texts: Readonly<Record<string, string>> = {
  refused_address: '{host} is not an allowed address',
  dns: 'could not resolve {host}',
  connect: 'could not connect to {host}',
  tls: 'no trusted TLS connection to {host}',
  timeout: '{host} did not respond within 15 seconds',
  no_slot: 'too many webhooks to {host} at once',
  closed: '{host} closed the connection',
  protocol: '{host} did not respond with valid HTTP',
  redirects: '{host} redirected the request',
  too_large: 'the response of {host} was too large',
  cancelled: 'interrupted by a restart',
};

/** Begins in lower case, for use after a colon. */
export function webhookErrorText(error: string | null, url: string): string {
  return (texts[error ?? ''] ?? `failed: ${error}`).replace('{host}', () => hostOf(url));
}

/** Describes the newest attempt in a list, such as `HTTP 500 in 12 ms`. */
export function lastResponseText({
  attempts: [last],
  url,
}: {
  readonly attempts: readonly {
    readonly answer_status: number | null;
    readonly error: string | null;
    readonly duration_ms: number;
  }[];
  readonly url: string;
}): string {
  if (!last) return '–';
  if (last.answer_status === null) return capitalize(webhookErrorText(last.error, url));
  return `HTTP ${last.answer_status} in ${last.duration_ms.toLocaleString('en-US')} ms`;
}

function hostOf(url: string): string {
  if (!URL.canParse(url)) return url;
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port || (protocol === 'http:' ? '80' : '443')}`;
}
