/**
 * The calls of a declared upstream, authorised, timed and paced. Our key goes to the configured
 * host only, whatever address an answer names.
 */
import assert from 'node:assert/strict';
import { createUpstreamFiles, type UpstreamFiles } from '../toolkit/downloads.ts';
import { fillTemplate } from '../toolkit/placeholders.ts';
import {
  type CallOptions,
  createThrottledGet,
  type ReadResult,
  readMsMax,
} from '../toolkit/throttled-get.ts';
import { createUpstream, type UpstreamOutcome } from '../toolkit/upstream.ts';
import type { DeclaredSettings } from './settings.ts';

export type DeclaredCallOptions = Pick<
  DeclaredSettings,
  'baseUrl' | 'start' | 'status' | 'cancel' | 'auth'
> &
  CallOptions;

export type DeclaredCalls = UpstreamFiles & {
  start(body: unknown, reference: string): Promise<UpstreamOutcome>;
  status(operation: string, signal?: AbortSignal): Promise<ReadResult>;
  cancel(operation: string): Promise<UpstreamOutcome>;
  /** The address of the video, where the description says it by a path. */
  videoUrl(operation: string): string;
};

const bearer = { header: 'authorization', value: 'Bearer {{key}}' };

export function createDeclaredCalls(options: DeclaredCallOptions): DeclaredCalls {
  const { start, status, cancel } = options;
  const upstream = createUpstream({ baseUrl: options.baseUrl });
  const timeoutMs = options.readTimeoutMs ?? readMsMax;
  const auth = options.auth ?? bearer;
  const headers = (): Record<string, string> => {
    const key = options.apiKey();
    return key === '' ? {} : { [auth.header]: auth.value.replaceAll('{{key}}', () => key) };
  };
  const files = createUpstreamFiles({ baseUrl: options.baseUrl, headers });
  const read = createThrottledGet(upstream, {
    perSecond: options.getPerSecond ?? 20,
    headers,
    timeoutMs,
  });

  return {
    start: (body, reference) =>
      upstream.call({
        method: start.method ?? 'POST',
        path: start.path,
        headers: {
          ...start.headers,
          ...headers(),
          ...(start.idempotencyKeyHeader ? { [start.idempotencyKeyHeader]: reference } : {}),
        },
        body,
        timeoutMs: options.createTimeoutMs ?? 90_000,
      }),

    status: (operation, signal) =>
      read(pathFor(status.path, operation), { signal, method: status.method ?? 'GET' }),

    async cancel(operation) {
      assert(cancel, 'the description has a cancel');
      const { method = 'POST', path, body } = cancel;
      const sent = body === undefined ? {} : { body: fillTemplate(body, { operation }) };
      const call = { method, path: pathFor(path, operation), headers: headers(), timeoutMs };
      return upstream.call({ ...call, ...sent });
    },

    ...files,
    videoUrl: (operation) =>
      options.baseUrl.replace(/\/+$/, '') + pathFor(status.videoPath!, operation),

    close: async () => {
      await upstream.close();
      await files.close();
    },
  };
}

const pathFor = (template: string, operation: string): string =>
  template.replace(/\{\{\s*operation\s*\}\}/g, () => encodeURIComponent(operation));
