/**
 * The calls of `/v1/videos`, authorised and timed. Our key goes to the configured host only: an
 * address that an answer names is used here when it is on that very host, and nowhere else.
 */
import {
  createUpstreamFiles,
  type SaveOptions,
  saveFrom,
  type UpstreamFiles,
} from '../toolkit/downloads.ts';
import { createForm, type FormPart } from '../toolkit/multipart.ts';
import {
  bearer,
  type CallOptions,
  createThrottledGet,
  type ReadResult,
  readMsMax,
} from '../toolkit/throttled-get.ts';
import { createUpstream, type DownloadOutcome, type UpstreamOutcome } from '../toolkit/upstream.ts';
import type { Dialect } from './dialect.ts';
import type { FirstFrame } from './first-frame.ts';
import type { Fields } from './wire.ts';

export type VideoCallOptions = CallOptions & {
  /** Up to and with `/v1`. */
  readonly baseUrl: string;
};

export type VideoCalls = UpstreamFiles & {
  readonly createTimeoutMs: number;
  create(fields: Fields, firstFrame: FirstFrame | null): Promise<UpstreamOutcome>;
  get(operation: string, signal?: AbortSignal): Promise<ReadResult>;
  list(query: string): Promise<UpstreamOutcome>;
  /** Erases, and only in some dialects stops: never to be called blindly. */
  delete(operation: string): Promise<UpstreamOutcome>;
  content(operation: string, saveOptions: SaveOptions): Promise<DownloadOutcome>;
};

export function createVideoCalls(dialect: Dialect, options: VideoCallOptions): VideoCalls {
  const upstream = createUpstream({ baseUrl: options.baseUrl });
  // A picture is uploaded first, and some servers read it whole before they answer.
  const createTimeoutMs = options.createTimeoutMs ?? 90_000;
  const timeoutMs = options.readTimeoutMs ?? readMsMax;
  const headers = bearer(options.apiKey);
  const files = createUpstreamFiles({ baseUrl: options.baseUrl, headers });
  const read = createThrottledGet(upstream, {
    perSecond: options.getPerSecond ?? 20,
    headers,
    timeoutMs,
  });

  return {
    createTimeoutMs,

    async create(fields, firstFrame) {
      const call = { method: 'POST', path: '/videos', headers: headers() } as const;
      const timing = { timeoutMs: createTimeoutMs };
      if (dialect.plainStart === 'json' && !firstFrame) {
        return upstream.call({ ...call, ...timing, body: fields });
      }
      const form = await createForm(formParts(fields, firstFrame));
      return upstream.call({ ...call, ...timing, form });
    },

    get: (operation, signal) => read(pathOf(operation), { signal }),

    list: (query) =>
      upstream.call({ method: 'GET', path: `/videos${query}`, headers: headers(), timeoutMs }),

    delete: (operation) =>
      upstream.call({ method: 'DELETE', path: pathOf(operation), headers: headers(), timeoutMs }),

    content: (operation, saveOptions) =>
      saveFrom(upstream, { path: `${pathOf(operation)}/content`, headers }, saveOptions),

    ...files,

    close: async () => {
      await upstream.close();
      await files.close();
    },
  };
}

function formParts(fields: Fields, firstFrame: FirstFrame | null): FormPart[] {
  const parts = Object.entries(fields).map(
    ([name, value]): FormPart => ({ name, value: String(value) }),
  );
  if (!firstFrame) return parts;
  const { file, contentType, extension } = firstFrame;
  // A name of ours: the customer's could be a path to the server that stores it.
  const fileName = `first-frame.${extension}`;
  return [...parts, { name: 'input_reference', file, fileName, contentType }];
}

const pathOf = (operation: string) => `/videos/${encodeURIComponent(operation)}`;
