/**
 * A client that records every response, headers included, with the caller. A secret that a response
 * shows on purpose becomes a canary for all other responses.
 */
import type { Canary, RecordedText } from './canaries.ts';

type SendOptions = {
  readonly headers?: Readonly<Record<string, string>>;
  /** Objects are sent as JSON, bytes and text unchanged. */
  readonly body?: unknown;
};

export function createRecordingClient() {
  let url = '';
  const recorded: RecordedText[] = [];
  const canaries: Canary[] = [];
  return {
    recorded,
    canaries,
    /** Sets the URL of the service, which is unknown when the first canaries are made. */
    useUrl: (newUrl: string): void => {
      url = newUrl;
    },
    record: (label: string, text: string): void => void recorded.push({ label, text }),
    /** From now on the value may be only in responses with such a label. */
    addCanary(name: string, value: string, shownIn?: RegExp): string {
      canaries.push({ name, value, ...(shownIn ? { shownIn } : {}) });
      return value;
    },
    /** `as` names the caller: `operator`, `owner`, `key`, `stranger`. */
    async send(as: string, method: string, path: string, options: SendOptions = {}) {
      const { headers = {}, body } = options;
      const isPlain = typeof body === 'string' || body instanceof Uint8Array;
      const response = await fetch(`${url}${path}`, {
        method,
        redirect: 'manual',
        headers: {
          ...(body === undefined || isPlain ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined
          ? {}
          : { body: isPlain ? (body as BodyInit) : JSON.stringify(body) }),
      });
      const text = Buffer.from(await response.arrayBuffer()).toString('latin1');
      const label = `${method} ${routeOf(path)} as ${as}: ${response.status}`;
      const headerLines = [...response.headers].map(([name, value]) => `${name}: ${value}`);
      recorded.push({ label, text: `${headerLines.join('\n')}\n\n${text}` });
      return { status: response.status, headers: response.headers, text, body: jsonOr(text) };
    },
  };
}

/** The path without IDs and other values that callers put into it. */
function routeOf(path: string): string {
  return path
    .split('?')[0]!
    .replace(/\/(uploads|results|callbacks)\/.+$/, '/$1/:name')
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, ':id')
    .replace(/\b(task|key)_\w+/g, ':id')
    .replace(/\/[^/]{60,}/g, '/:long');
}

function jsonOr(text: string): Record<string, unknown> {
  try {
    return JSON.parse(Buffer.from(text, 'latin1').toString());
  } catch {
    return {};
  }
}
