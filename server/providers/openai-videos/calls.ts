/** The endpoints of `/v1/videos`. */
import { type ClientOptions, createClient, type SaveOptions } from '../toolkit/client.ts';
import type { MaterialFile } from '../toolkit/materials.ts';
import { createForm, type FormPart } from '../toolkit/multipart.ts';
import type { Dialect } from './dialect.ts';
import type { Fields } from './wire.ts';

export type VideoCalls = ReturnType<typeof createVideoCalls>;

/** The base URL ends with `/v1`. */
export function createVideoCalls(dialect: Dialect, options: ClientOptions) {
  const client = createClient(options);
  // Some servers read an uploaded image completely before they respond.
  const { createTimeoutMs = 90_000 } = options;

  return {
    createTimeoutMs,
    createJson: (body: unknown) =>
      client.call('POST', '/videos', { body, timeoutMs: createTimeoutMs }),
    async create(fields: Fields, firstFrame: MaterialFile | undefined) {
      const timeoutMs = createTimeoutMs;
      if (dialect.plainStart === 'json' && !firstFrame) {
        return client.call('POST', '/videos', { body: fields, timeoutMs });
      }
      const form = await createForm(formParts(fields, firstFrame));
      return client.call('POST', '/videos', { form, timeoutMs });
    },
    get: (operation: string, signal?: AbortSignal) => client.read(pathOf(operation), { signal }),
    list: (query: string) => client.call('GET', `/videos${query}`),
    /** Erases a video and, in some dialects only, stops it: check the status first. */
    delete: (operation: string) => client.call('DELETE', pathOf(operation)),
    content: (operation: string, saveOptions: SaveOptions) =>
      client.save(`${pathOf(operation)}/content`, saveOptions),
    save: client.save,
    resolveOnHost: client.resolveOnHost,
    close: client.close,
  };
}

function formParts(fields: Fields, firstFrame: MaterialFile | undefined): FormPart[] {
  const parts = Object.entries(fields).map(
    ([name, value]): FormPart => ({ name, value: String(value) }),
  );
  if (!firstFrame) return parts;
  const { file, contentType, extension } = firstFrame;
  // Never the customer's file name, which could be a path on the server.
  const fileName = `first-frame.${extension}`;
  return [...parts, { name: 'input_reference', file, fileName, contentType }];
}

const pathOf = (operation: string) => `/videos/${encodeURIComponent(operation)}`;
