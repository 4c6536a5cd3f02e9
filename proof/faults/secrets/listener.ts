/**
 * Asks the service as somebody, and keeps every word that came back, headers included, with who was
 * told it. What is told once on purpose becomes a canary for everything else.
 */
import type { Canary, Heard } from './canaries.ts';

export type Reply = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
};

export type Asking = {
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, bytes and text as they are. */
  readonly body?: unknown;
};

export type Listener = {
  readonly heard: Heard[];
  readonly canaries: Canary[];
  /** `as` is who asks: `operator`, `owner`, `key`, `stranger`. */
  ask(as: string, method: string, path: string, asking?: Asking): Promise<Reply>;
  /** Anything else that was said. */
  hear(label: string, text: string): void;
  /** From now on it may stand nowhere but in answers with such a label. */
  plant(name: string, value: string, shownIn?: RegExp): string;
};

export function createListener(url: string): Listener {
  const heard: Heard[] = [];
  const canaries: Canary[] = [];
  return {
    heard,
    canaries,
    hear: (label, text) => void heard.push({ label, text }),
    plant(name, value, shownIn) {
      canaries.push({ name, value, ...(shownIn ? { shownIn } : {}) });
      return value;
    },
    async ask(as, method, path, { headers = {}, body } = {}) {
      const isPlain = typeof body === 'string' || body instanceof Uint8Array;
      const answer = await fetch(`${url}${path}`, {
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
      const text = Buffer.from(await answer.arrayBuffer()).toString('latin1');
      const label = `${method} ${routeOf(path)} as ${as}: ${answer.status}`;
      const told = [...answer.headers].map(([name, value]) => `${name}: ${value}`);
      heard.push({ label, text: `${told.join('\n')}\n\n${text}` });
      return { status: answer.status, headers: answer.headers, text, body: jsonOr(text) };
    },
  };
}

/** Ids, and whatever else somebody may have put into an address, are not part of its label. */
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
