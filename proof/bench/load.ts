/** Load over HTTP from a process of its own, whose processor time is not counted. */
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';

export type LoadJob = {
  readonly port: number;
  readonly connections: number;
  /** Whole HTTP requests, sent in turns. */
  readonly requests: readonly string[];
  /** Ends after this time, or after `count` requests. */
  readonly seconds: number;
  readonly count?: number;
};

export type LoadResult = {
  readonly requests: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
};

export type Load = Disposable & { run(job: LoadJob): Promise<LoadResult> };

export function startLoad(): Load {
  const child = fork(new URL('./load-process.ts', import.meta.url));
  let isRunning = false;
  return {
    async run(job) {
      // Results have no names: that of another job would be taken for this one's.
      assert(!isRunning, 'a load process runs one job at a time');
      isRunning = true;
      child.send(job);
      const [result] = (await once(child, 'message')) as [LoadResult | { failed: string }];
      isRunning = false;
      if ('failed' in result) throw new Error(`a request failed: ${result.failed}`);
      return result;
    },
    [Symbol.dispose]: () => void child.kill(),
  };
}

type RequestOptions = {
  readonly method?: string;
  readonly path: string;
  readonly token: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Returns the text of a request on a keep-alive connection. */
export function requestText({
  method = 'GET',
  path,
  token,
  body,
  headers = {},
}: RequestOptions): string {
  const head = [
    `${method} ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Authorization: Bearer ${token}`,
    'Accept: application/json',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  if (body === undefined) return `${head.join('\r\n')}\r\n\r\n`;
  const content = JSON.stringify(body);
  const length = Buffer.byteLength(content);
  head.push('Content-Type: application/json', `Content-Length: ${length}`);
  return `${head.join('\r\n')}\r\n\r\n${content}`;
}
