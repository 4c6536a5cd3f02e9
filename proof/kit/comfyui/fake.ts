/**
 * Fake ComfyUI: one prompt runs at a time; queue and history are in memory and gone after
 * `restart`, files stay. Like the real server it accepts the caller's ids and drops no duplicates.
 * Tests move prompts on and plan faults.
 */
import { readFileSync } from 'node:fs';
import { nowMs } from '../../../server/clock.ts';
import { asRecord } from '../../../server/providers/toolkit/response-values.ts';
import {
  type FakeResponse,
  FakeUpstream,
  json,
  parsed,
  type ReceivedRequest,
} from '../fake-upstream.ts';
import { resultVideoPath } from '../result-server.ts';
import { takeUpload, viewOutput } from './files.ts';
import { type Graph, noRoute, validate } from './rules.ts';

export type ComfyUiOperation =
  | 'prompt'
  | 'queue'
  | 'history'
  | 'upload'
  | 'view'
  | 'delete'
  | 'interrupt'
  | 'cancel';

type ComfyUiRequest = ReceivedRequest<ComfyUiOperation>;

type Prompt = {
  readonly id: string;
  readonly number: number;
  readonly graph: Graph;
  readonly extra: { client_id?: string; create_time: number };
};
type PromptBody = { prompt: Graph; prompt_id?: string; client_id?: string };
type Entry = { readonly prompt: Prompt; readonly outputs: object; readonly status: object | null };

export type FakeComfyUiOptions = {
  /** The key that a proxy in front of it requires; null for none. */
  readonly apiKey?: string | null;
  /** Ignores the caller's id, as versions before July 2025 do. */
  readonly givesOwnIds?: boolean;
  /** Has no route to cancel a job, as versions before June 2026. */
  readonly cancelsNoJobs?: boolean;
  /** How many polls of the queue a prompt keeps running for after an interrupt. */
  readonly slowInterrupt?: number;
  /** Called with every queued prompt, before the response is sent. */
  readonly onQueued?: (id: string) => void;
};

export class FakeComfyUi extends FakeUpstream<ComfyUiOperation, never, FakeComfyUiOptions> {
  /** Uploads, by the name that workflows use. */
  readonly inputFiles = new Map<string, Buffer>();
  readonly #history = new Map<string, Entry>();
  readonly #outputFiles = new Map<string, Buffer>();
  #pending: Prompt[] = [];
  #running: Prompt | null = null;
  #interruptAfterPolls: number | null = null;
  #number = 0;

  static async start(options: FakeComfyUiOptions = {}): Promise<FakeComfyUi> {
    return await new FakeComfyUi(options).listen();
  }

  get baseUrl(): string {
    return this.origin;
  }

  /** The newest prompt that was queued and is still known. */
  lastGraph(): Graph {
    const prompts = [...this.#history.values()].map(({ prompt }) => prompt);
    const all = [...prompts, ...(this.#running ? [this.#running] : []), ...this.#pending];
    return all.toSorted((one, other) => other.number - one.number)[0]!.graph;
  }

  hasResult(id: string): boolean {
    return this.#history.has(id) && this.#outputFiles.has(`video/${id}.mp4`);
  }

  run(id: string): void {
    if (this.#running?.id === id) return;
    if (this.#running) throw new Error(`${this.#running.id} runs: one at a time`);
    const prompt = this.#pending.find((one) => one.id === id);
    if (!prompt) throw new Error(`the fake has no waiting prompt ${id}`);
    this.#pending = this.#pending.filter((one) => one !== prompt);
    this.#running = prompt;
  }

  /**
   * Completes a prompt with the output of core's SaveVideo, or with `outputs`. A graph that ran
   * before is not run again: its outputs come from the cache, and only for a caller with a
   * `client_id`.
   */
  finish(id: string, outputs?: object): void {
    this.run(id);
    const { graph, extra } = this.#running!;
    const cached = [...this.#history.values()].find(
      ({ prompt }) => JSON.stringify(prompt.graph) === JSON.stringify(graph),
    );
    if (cached) {
      const again = extra.client_id === undefined ? {} : cached.outputs;
      this.end(id, { status_str: 'success', completed: true }, { outputs: again });
      return;
    }
    const file = { filename: `${id}.mp4`, subfolder: 'video', type: 'output' };
    this.#outputFiles.set(`video/${id}.mp4`, readFileSync(resultVideoPath));
    const saved = { '9': { images: [file], animated: [true] } };
    this.end(id, { status_str: 'success', completed: true }, { outputs: outputs ?? saved });
  }

  fail(id: string, error: object = {}): void {
    const outOfMemory = {
      node_id: '3',
      node_type: 'KSampler',
      exception_type: 'torch.OutOfMemoryError',
      exception_message: 'Allocation on device 0 would exceed allowed memory.',
      traceback: ['  File "/srv/ComfyUI/execution.py", line 510'],
    };
    const message = ['execution_error', { prompt_id: id, ...outOfMemory, ...error }];
    this.end(id, { status_str: 'error', completed: false }, { messages: [message] });
  }

  end(
    id: string,
    status: object | null,
    { outputs = {}, messages = [] }: { outputs?: object; messages?: unknown[] } = {},
  ): void {
    this.run(id);
    const prompt = this.#running!;
    this.#running = null;
    this.#interruptAfterPolls = null;
    const started = ['execution_start', { prompt_id: id, timestamp: nowMs() }];
    const statusEntry = status && { ...status, messages: [started, ...messages] };
    this.#history.set(id, { prompt, outputs, status: statusEntry });
  }

  /** Forgets all prompts and keeps the files, as a restarted server does. */
  restart(): void {
    this.#pending = [];
    this.#running = null;
    this.#history.clear();
  }

  protected operationOf(method: string, rawPath: string): ComfyUiOperation | 'none' {
    if (method === 'POST' && jobPath.test(rawPath) && !this.options.cancelsNoJobs) return 'cancel';
    const path = withoutPrefix(rawPath);
    const routes: Record<string, ComfyUiOperation> = {
      'POST /prompt': 'prompt',
      'GET /queue': 'queue',
      'POST /queue': 'delete',
      'POST /interrupt': 'interrupt',
      'POST /upload/image': 'upload',
      'GET /view': 'view',
    };
    if (method === 'GET' && /^\/history\/[^/]+$/.test(path)) return 'history';
    return routes[`${method} ${path}`] ?? 'none';
  }

  protected rejection({ operation, headers }: ComfyUiRequest): FakeResponse | null {
    const { apiKey = null } = this.options;
    if (apiKey !== null && headers.authorization !== `Bearer ${apiKey}`) {
      return json(401, { error: 'Unauthorized' });
    }
    return operation === 'none' ? noRoute : null;
  }

  protected async work(
    operation: ComfyUiOperation,
    { url, headers, body }: ComfyUiRequest,
  ): Promise<FakeResponse> {
    switch (operation) {
      case 'prompt':
        return this.#queuePrompt(parsed(body));
      case 'queue':
        return this.#queue();
      case 'history':
        return this.#entry(
          decodeURIComponent(withoutPrefix(url.pathname).slice('/history/'.length)),
        );
      case 'delete':
        return this.#delete(parsed(body));
      case 'interrupt':
        return this.#interrupt(parsed(body));
      case 'cancel':
        return this.#cancelJob(decodeURIComponent(jobPath.exec(url.pathname)![1]!));
      case 'upload':
        return await takeUpload(this.inputFiles, body, headers['content-type'] ?? '');
      case 'view':
        return viewOutput(this.#outputFiles, url.searchParams);
    }
  }

  #queuePrompt(body: unknown): FakeResponse {
    const rejection = validate(body, this.inputFiles);
    if (rejection) return rejection;
    const { prompt, prompt_id, client_id } = body as PromptBody;
    const number = this.#number++;
    const ownId = `own-${number}`;
    const id = this.options.givesOwnIds ? ownId : String(prompt_id ?? ownId);
    const extra = { ...(client_id ? { client_id } : {}), create_time: nowMs() };
    this.#pending.push({ id, number, graph: prompt, extra });
    this.options.onQueued?.(id);
    return json(200, { prompt_id: id, number, node_errors: {} });
  }

  #queue(): FakeResponse {
    if (this.#interruptAfterPolls !== null && this.#running) {
      if (this.#interruptAfterPolls === 0) this.#endInterrupted();
      else this.#interruptAfterPolls--;
    }
    return json(200, {
      queue_running: this.#running ? [itemOf(this.#running)] : [],
      queue_pending: this.#pending.map(itemOf),
    });
  }

  #entry(id: string): FakeResponse {
    const entry = this.#history.get(id);
    if (!entry) return json(200, {});
    const { prompt, outputs, status } = entry;
    return json(200, { [id]: { prompt: itemOf(prompt), outputs, status, meta: {} } });
  }

  #delete(body: unknown): FakeResponse {
    const ids = asRecord(body)?.delete;
    this.#pending = this.#pending.filter(({ id }) => !(Array.isArray(ids) && ids.includes(id)));
    return { status: 200, body: '' };
  }

  #cancelJob(id: string): FakeResponse {
    const isKnown = [this.#running, ...this.#pending].some((prompt) => prompt?.id === id);
    this.#delete({ delete: [id] });
    this.#interrupt({ prompt_id: id });
    return json(200, { cancelled: isKnown });
  }

  /** Without an id it stops the running prompt. */
  #interrupt(body: unknown): FakeResponse {
    const id = asRecord(body)?.prompt_id;
    if (this.#running && (!id || id === this.#running.id)) {
      this.#interruptAfterPolls = this.options.slowInterrupt ?? 0;
      if (this.#interruptAfterPolls === 0) this.#endInterrupted();
    }
    return { status: 200, body: '' };
  }

  #endInterrupted(): void {
    const { id } = this.#running!;
    const interrupted = { prompt_id: id, node_id: '3', node_type: 'KSampler', executed: [] };
    const messages = [['execution_interrupted', interrupted]];
    this.end(id, { status_str: 'error', completed: false }, { messages });
  }
}

/** Exists under /api only. */
const jobPath = /^\/api\/jobs\/([^/]+)\/cancel$/;

/** Every route exists under /api too. */
const withoutPrefix = (path: string): string => path.replace(/^\/api(?=\/)/, '');

const itemOf = ({ number, id, graph, extra }: Prompt) => [number, id, graph, extra, ['9']];
