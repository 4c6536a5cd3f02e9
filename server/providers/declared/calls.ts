/** The endpoints of a declared upstream. */
import { type ClientOptions, createClient } from '../toolkit/client.ts';
import { fillTemplate } from '../toolkit/placeholders.ts';
import type { DeclaredSettings } from './settings.ts';

export type DeclaredCalls = ReturnType<typeof createDeclaredCalls>;

export function createDeclaredCalls(
  options: ClientOptions & Pick<DeclaredSettings, 'start' | 'status' | 'auth'>,
) {
  const { start, status, auth, createTimeoutMs: timeoutMs = 90_000 } = options;
  const client = createClient({
    ...options,
    ...(auth
      ? { authorization: (key) => ({ [auth.header]: auth.value.replaceAll('{{key}}', () => key) }) }
      : {}),
  });

  return {
    start: (body: unknown, reference: string) =>
      client.call(start.method ?? 'POST', start.path, {
        headers: {
          ...start.headers,
          ...(start.idempotencyKeyHeader ? { [start.idempotencyKeyHeader]: reference } : {}),
        },
        body,
        timeoutMs,
      }),
    status: (operation: string, signal?: AbortSignal) =>
      client.read(pathFor(status.path, operation), { signal, method: status.method ?? 'GET' }),
    cancel(operation: string, cancel: NonNullable<DeclaredSettings['cancel']>) {
      const { method = 'POST', path, body } = cancel;
      const filled = body === undefined ? undefined : fillTemplate(body, { operation });
      return client.call(method, pathFor(path, operation), { body: filled });
    },
    /** The path of the video, for a description with `videoPath`. */
    videoPath: (operation: string) => pathFor(status.videoPath!, operation),
    save: client.save,
    resolveOnHost: client.resolveOnHost,
    close: client.close,
  };
}

const pathFor = (template: string, operation: string): string =>
  template.replace(/\{\{\s*operation\s*\}\}/g, () => encodeURIComponent(operation));
