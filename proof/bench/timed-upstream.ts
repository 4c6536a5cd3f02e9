/**
 * An upstream that speaks to every kind of provider. Each of its jobs ends a fixed time after its
 * start; it notes when its video is fetched, and when the webhook of the task arrives.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { modelNames } from '@vidgen/contract/models.ts';
import { monotonicMs } from '../../server/process/clock.ts';
import { resultVideoPath } from '../kit/result-server.ts';

export type TimedJob = {
  readonly number: number;
  readonly endMs: number;
  fetchedMs?: number;
  deliveredMs?: number;
};

type Wire = {
  readonly settings: object;
  /** The response to a start, and to a read that found these jobs. */
  readonly started: (operation: string) => object;
  readonly read: (jobs: readonly ShownJob[], url: URL) => object;
};

type ShownJob = { readonly operation: string; readonly isDone: boolean; readonly video: string };

const models = Object.fromEntries(modelNames.map((name) => [name, `bench/${name}`]));
const apiKey = { env: 'BENCH_KEY' };
const only = (jobs: readonly ShownJob[]): ShownJob => jobs[0]!;

function modelArkTask({ operation: id, isDone, video }: ShownJob): object {
  return { id, status: isDone ? 'succeeded' : 'running', content: { video_url: video } };
}

function prediction({ operation: id, isDone, video }: ShownJob): object {
  return isDone ? { id, status: 'succeeded', output: video } : { id, status: 'processing' };
}

export const wires: Readonly<Record<string, Wire>> = {
  vllm: {
    settings: { kind: 'openai-videos', dialect: 'vllm', models },
    started: (id) => ({ id, object: 'video', status: 'queued' }),
    read: (jobs) => {
      const { operation: id, isDone } = only(jobs);
      return { id, object: 'video', status: isDone ? 'completed' : 'in_progress' };
    },
  },
  comfyui: {
    settings: { kind: 'comfyui' },
    started: (id) => ({ prompt_id: id }),
    read: (jobs, url) => {
      if (url.pathname.endsWith('/queue')) {
        const running = jobs.filter(({ isDone }) => !isDone);
        const queue_running = running.map(({ operation: id }) => [1, id, {}, {}, []]);
        return { queue_running, queue_pending: [] };
      }
      const { operation } = only(jobs);
      const outputs = { 9: { images: [{ filename: `${operation}.mp4`, type: 'output' }] } };
      return { [operation]: { outputs, status: { status_str: 'success' } } };
    },
  },
  declared: {
    settings: {
      kind: 'declared',
      apiKey,
      models,
      start: {
        path: '/start',
        body: {
          model: '{{model}}',
          prompt: '{{prompt}}',
          seconds: '{{seconds}}',
          size: '{{size}}',
          sound: '{{sound}}',
        },
        operation: 'id',
      },
      status: {
        path: '/{{operation}}',
        state: 'state',
        states: { done: 'completed', busy: 'running' },
        video: 'video',
      },
    },
    started: (id) => ({ id }),
    read: (jobs) => {
      const { isDone, video } = only(jobs);
      return { state: isDone ? 'done' : 'busy', video };
    },
  },
  modelark: {
    settings: { kind: 'modelark', apiKey, models },
    started: (id) => ({ id }),
    read: (jobs, url) =>
      url.pathname.endsWith('/tasks')
        ? { total: jobs.length, items: jobs.map(modelArkTask) }
        : modelArkTask(only(jobs)),
  },
  replicate: {
    settings: { kind: 'replicate', apiKey, models },
    started: (id) => ({ id, status: 'starting' }),
    read: (jobs, url) =>
      url.pathname.endsWith('/predictions')
        ? { results: jobs.map(prediction), next: null }
        : prediction(only(jobs)),
  },
  fal: {
    settings: { kind: 'fal', apiKey, models },
    started: (request_id) => ({ request_id }),
    read: (jobs, url) => {
      const { isDone, video } = only(jobs);
      if (!url.pathname.endsWith('/status')) return { video: { url: video } };
      return { status: isDone ? 'COMPLETED' : 'IN_PROGRESS' };
    },
  },
};

export async function startTimedUpstream() {
  const video = readFileSync(resultVideoPath);
  const jobs = new Map<string, TimedJob>();
  const byNumber = new Map<number, TimedJob>();
  let jobMs = 0;
  const namesIn = (url: URL): string[] =>
    [...url.pathname.split('/'), ...url.searchParams.values()]
      .map((word) => word.replace(/\.mp4$/, ''))
      .filter((word) => jobs.has(word));
  /** The jobs that a URL names, or all in a list that names none. */
  const read = (wire: Wire, url: URL): object => {
    const named = namesIn(url);
    const operations = named.length > 0 ? named : [...jobs.keys()];
    const shown = operations.map((operation): ShownJob => {
      const job = jobs.get(operation)!;
      const isDone = monotonicMs() >= job.endMs;
      return { operation, isDone, video: `${url.origin}/${operation}.mp4` };
    });
    return wire.read(shown, url);
  };
  const start = (wire: Wire, body: string): object => {
    const number = Number(/job number (\d+)/.exec(body)![1]);
    const operation = /"prompt_id":\s*"([^"]+)"/.exec(body)?.[1] ?? `operation-${number}`;
    const job = { number, endMs: monotonicMs() + jobMs };
    jobs.set(operation, job);
    byNumber.set(number, job);
    return wire.started(operation);
  };
  const server = createServer({ keepAliveTimeout: 60_000 }, async (request, response) => {
    const url = new URL(request.url!, `http://${request.headers.host}`);
    const send = (type: string, bytes: Buffer | string) =>
      response.writeHead(200, { 'content-type': type }).end(bytes);
    const [, first = '', number] = url.pathname.split('/');
    if (first === 'hook') {
      const job = byNumber.get(Number(number));
      if (job) job.deliveredMs ??= monotonicMs();
      request.resume();
      return send('text/plain', '');
    }
    if (/\.mp4$|\/content$|\/view$/.test(url.pathname)) {
      const job = jobs.get(namesIn(url)[0]!)!;
      job.fetchedMs ??= monotonicMs();
      return send('video/mp4', video);
    }
    const wire = wires[first]!;
    const body = await text(request);
    const result = request.method === 'POST' ? start(wire, body) : read(wire, url);
    send('application/json', JSON.stringify(result));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    jobs: byNumber as ReadonlyMap<number, TimedJob>,
    /** Forgets all jobs; those that follow take so long. */
    reset(seconds: number): void {
      jobs.clear();
      byNumber.clear();
      jobMs = seconds * 1000;
    },
    [Symbol.dispose]: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
