/**
 * Fake ComfyUI: one prompt runs at a time; queue and history are in memory and gone after
 * `restart`, files stay. Like the real server it accepts the caller's ids and drops no duplicates.
 * Tests move prompts on and plan faults.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { nowMs } from '../../../server/process/clock.ts';
import { asJson, asRecord } from '../../../server/providers/toolkit/response-values.ts';
import { type FakeResponse, FakeUpstream, json, type ReceivedRequest } from '../fake-upstream.ts';
import { resultVideoPath } from '../result-server.ts';
import { createEvents } from './events.ts';
import { takeUpload, viewOutput } from './files.ts';
import { objectInfo } from './nodes.ts';
import { type Graph, internalError, noRoute, outputsOf, validate } from './rules.ts';

export type ComfyUiOperation =
  | 'prompt'
  | 'queue'
  | 'history'
  | 'list'
  | 'forget'
  | 'info'
  | 'nodes'
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
type PromptBody = {
  prompt: Graph;
  prompt_id?: string | null;
  client_id?: string;
  extra_data?: object;
  number?: number;
  front?: boolean;
};
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
  readonly #events = createEvents(() => this.#remaining);

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
    this.#events.queueUpdated();
    this.#tell('execution_start', { timestamp: nowMs() });
    this.#tell('execution_cached', { nodes: [], timestamp: nowMs() });
    this.#tell('executing', { node: '3', display_node: '3' });
    this.#tell('progress', { value: 1, max: 20, node: '3' });
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
    const details = { prompt_id: id, ...outOfMemory, ...error };
    const message = ['execution_error', details];
    this.run(id);
    this.#tell('execution_error', details);
    this.end(id, { status_str: 'error', completed: false }, { messages: [message] });
  }

  end(
    id: string,
    status: object | null,
    { outputs = {}, messages = [] }: { outputs?: object; messages?: unknown[] } = {},
  ): void {
    this.run(id);
    const prompt = this.#running!;
    const details = { prompt_id: id, timestamp: nowMs() };
    const isSuccess = asRecord(status)?.status_str === 'success';
    for (const [node, output] of Object.entries(outputs)) {
      this.#tell('executed', { node, display_node: node, output });
    }
    if (isSuccess) this.#tell('execution_success', details);
    this.#tell('executing', { node: null });
    this.#running = null;
    this.#interruptAfterPolls = null;
    const all = [
      ['execution_start', details],
      ['execution_cached', { nodes: [], ...details }],
      ...messages,
      ...(isSuccess ? [['execution_success', details]] : []),
    ];
    this.#history.set(id, { prompt, outputs, status: status && { ...status, messages: all } });
    this.#events.queueUpdated();
  }

  /** Sends an event of the running prompt to the client that queued it. */
  #tell(type: string, data: object): void {
    const { id, extra } = this.#running!;
    this.#events.send(type, { ...data, prompt_id: id }, extra.client_id);
  }

  /** Forgets all prompts and keeps the files, as a restarted server does. */
  restart(): void {
    this.#pending = [];
    this.#running = null;
    this.#history.clear();
  }

  override async close(): Promise<void> {
    this.#events.close();
    await super.close();
  }

  protected override upgrade(request: IncomingMessage, socket: Duplex): void {
    const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (withoutPrefix(pathname) === '/ws') this.#events.connect(request, socket);
    else socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n');
  }

  protected operationOf(method: string, rawPath: string): ComfyUiOperation | 'none' {
    if (method === 'POST' && jobPath.test(rawPath) && !this.options.cancelsNoJobs) return 'cancel';
    const path = withoutPrefix(rawPath);
    const routes: Record<string, ComfyUiOperation> = {
      'POST /prompt': 'prompt',
      'GET /prompt': 'info',
      'GET /object_info': 'nodes',
      'GET /history': 'list',
      'POST /history': 'forget',
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
    const content = asJson(body);
    // An interrupt without a body stops whatever runs.
    const needsJson = ['prompt', 'delete', 'forget'].includes(operation);
    if (needsJson && content === undefined) return internalError;
    switch (operation) {
      case 'prompt':
        return this.#queuePrompt(content);
      case 'info':
        return json(200, { exec_info: { queue_remaining: this.#remaining } });
      case 'nodes':
        return json(200, objectInfo());
      case 'list':
        return this.#list(url.searchParams);
      case 'forget':
        return this.#forget(content);
      case 'queue':
        return this.#queue();
      case 'history':
        return this.#entry(
          decodeURIComponent(withoutPrefix(url.pathname).slice('/history/'.length)),
        );
      case 'delete':
        return this.#delete(content);
      case 'interrupt':
        return this.#interrupt(content);
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
    const { prompt, prompt_id, client_id, extra_data, front } = body as PromptBody;
    const next = this.#number++;
    const number = (body as PromptBody).number ?? (front ? -next : next);
    const ownId = `own-${next}`;
    const id = this.options.givesOwnIds ? ownId : (prompt_id ?? randomUUID());
    const extra = { ...extra_data, ...(client_id ? { client_id } : {}), create_time: nowMs() };
    this.#pending.push({ id, number, graph: prompt, extra });
    this.#pending.sort((one, other) => one.number - other.number);
    this.#events.queueUpdated();
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

  get #remaining(): number {
    return this.#pending.length + (this.#running ? 1 : 0);
  }

  #entry(id: string): FakeResponse {
    const entry = this.#history.get(id);
    return json(200, entry ? { [id]: viewOf(entry) } : {});
  }

  /** Oldest first; without an offset the newest `max_items`. */
  #list(query: URLSearchParams): FakeResponse {
    const [items, offset] = ['max_items', 'offset'].map((name) => query.get(name) ?? undefined);
    const wanted = [items, offset].filter((text) => text !== undefined);
    // Python cannot convert it.
    if (wanted.some((text) => !/^-?\d+$/.test(text))) return internalError;
    const most = items === undefined ? this.#history.size : Number(items);
    const from = offset === undefined ? this.#history.size - most : Number(offset);
    const entries = [...this.#history].slice(Math.max(from, 0)).slice(0, most);
    return json(200, Object.fromEntries(entries.map(([id, entry]) => [id, viewOf(entry)])));
  }

  #forget(body: unknown): FakeResponse {
    const { clear, delete: ids } = asRecord(body) ?? {};
    if (clear) this.#history.clear();
    for (const id of Array.isArray(ids) ? ids : []) this.#history.delete(id);
    return { status: 200, body: '' };
  }

  #delete(body: unknown): FakeResponse {
    const { clear, delete: ids } = asRecord(body) ?? {};
    const isKept = ({ id }: Prompt) => !clear && !(Array.isArray(ids) && ids.includes(id));
    this.#pending = this.#pending.filter(isKept);
    this.#events.queueUpdated();
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
    this.#events.broadcast('execution_interrupted', interrupted);
    this.end(id, { status_str: 'error', completed: false }, { messages });
  }
}

/** Exists under /api only. */
const jobPath = /^\/api\/jobs\/([^/]+)\/cancel$/;

/** Every route exists under /api too. */
const withoutPrefix = (path: string): string => path.replace(/^\/api(?=\/)/, '');

const itemOf = ({ number, id, graph, extra }: Prompt) => [
  ...[number, id, graph, extra, outputsOf(graph)],
];

const viewOf = ({ prompt, outputs, status }: Entry) => ({
  ...{ prompt: itemOf(prompt), outputs, status, meta: {} },
});
