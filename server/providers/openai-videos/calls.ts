/** The endpoints of `/v1/videos`. */
import {
  type ClientOptions,
  createClient,
  type ReadTurn,
  type SaveOptions,
} from '../toolkit/client.ts';
import { createForm, type FormPart } from '../toolkit/multipart.ts';
import type { Dialect } from './dialect.ts';
import type { Upload } from './references.ts';
import type { Fields } from './wire.ts';

type Headers = Readonly<Record<string, string>>;

export type VideoCalls = ReturnType<typeof createVideoCalls>;

/** The base URL ends with `/v1`. */
export function createVideoCalls(dialect: Dialect, options: ClientOptions) {
  const client = createClient({ getPerSecond: dialect.getPerSecond, ...options });
  // Some servers read uploaded files completely before they respond.
  const { createTimeoutMs = 90_000 } = options;

  return {
    createTimeoutMs,
    createJson: (body: unknown, headers: Headers) =>
      client.call('POST', '/videos', { body, headers, timeoutMs: createTimeoutMs }),
    async create(fields: Fields, uploads: readonly Upload[], headers: Headers) {
      const options = { headers, timeoutMs: createTimeoutMs };
      if (dialect.plainStart === 'json' && uploads.length === 0) {
        return client.call('POST', '/videos', { ...options, body: fields });
      }
      const form = await createForm([...fieldParts(fields), ...uploads]);
      return client.call('POST', '/videos', { ...options, form });
    },
    get: (operation: string, turn?: ReadTurn) => client.read(videoPath(operation), turn),
    list: (query: string) => client.call('GET', `/videos${query}`),
    /** Waits for the throttle of reads. */
    readPage: (after: string | undefined) =>
      client.read(
        `/videos?limit=100&order=desc${after ? `&after=${encodeURIComponent(after)}` : ''}`,
      ),
    /** Erases a video and, in some dialects only, stops it: check the status first. */
    delete: (operation: string) => client.call('DELETE', videoPath(operation)),
    content: (operation: string, saveOptions: SaveOptions) =>
      client.save(`${videoPath(operation)}/content`, saveOptions),
    save: client.save,
    resolveOnHost: client.resolveOnHost,
    close: client.close,
  };
}

const fieldParts = (fields: Fields): FormPart[] =>
  Object.entries(fields).map(([name, value]) => ({ name, value: String(value) }));

const videoPath = (operation: string) => `/videos/${encodeURIComponent(operation)}`;
