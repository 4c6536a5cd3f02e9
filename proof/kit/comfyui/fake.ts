/**
 * Fake ComfyUI: one prompt runs at a time; queue and history are in memory and gone after
 * `restart`, files stay. Like the real server it accepts the caller's ids and drops no duplicates.
 * Tests move prompts on and plan faults.
 */
import { readFileSync } from 'node:fs';
import { nowMs } from '../../../server/process/clock.ts';
import {
  type FakeResponse,
  FakeUpstream,
  json,
  parsed,
  type ReceivedRequest,
} from '../fake-upstream.ts';
import { resultVideoPath } from '../result-server.ts';
import { type Graph, noRoute } from './rules.ts';

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
  readonly extra: { readonly client_id?: string; readonly create_time: number };
};
type PromptBody = {
  readonly prompt: Graph;
  readonly prompt_id: string;
  readonly client_id?: string;
};
type Entry = { readonly prompt: Prompt; readonly outputs: object; readonly status: object | null };

export type FakeComfyUiOptions = {
  /** Ignores the caller's id, as versions before July 2025 do. */
  readonly givesOwnIds?: boolean;
  /** Has no route to cancel a job, as versions before June 2026. */
  readonly cancelsNoJobs?: boolean;
  /** How many polls of the queue a prompt keeps running for after an interrupt. */
  readonly slowInterrupt?: number;
  /** Called with every queued prompt, before the response is sent. */
  readonly onQueued?: (id: string) => void;
};

const done: FakeResponse = { status: 200, body: '' };
/** Exists under /api only. */
const jobPath = /^\/api\/jobs\/([^/]+)\/cancel$/;

const routes: Readonly<Record<string, ComfyUiOperation>> = {
  'POST /prompt': 'prompt',
  'GET /queue': 'queue',
  'POST /queue': 'delete',
  'POST /interrupt': 'interrupt',
  'POST /upload/image': 'upload',
  'GET /view': 'view',
};

export class FakeComfyUi extends FakeUpstream<ComfyUiOperation, never, FakeComfyUiOptions> {
  /** Uploads, by the name that workflows use. */
  readonly inputFiles = new Map<string, Buffer>();
  /** Every prompt that was queued, once for each time. */
  readonly queuedIds: string[] = [];
  readonly #history = new Map<string, Entry>();
  readonly #outputFiles = new Map<string, Buffer>();
  #pending: Prompt[] = [];
  #running: Prompt | null = null;
  #interruptAfterPolls: number | null = null;
  #number = 0;

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
    const file = { filename: `${id}.mp4`, subfolder: 'video', type: 'output' };
    const saved = { '9': { images: [file], animated: [true] } };
    if (!cached) this.#outputFiles.set(`video/${id}.mp4`, readFileSync(resultVideoPath));
    const again = extra.client_id === undefined ? {} : cached?.outputs;
    const shown = cached ? again : (outputs ?? saved);
    this.end(id, { status_str: 'success', completed: true }, { outputs: shown });
  }

  fail(id: string, error: object = {}): void {
    const details = {
      prompt_id: id,
      node_id: '3',
      node_type: 'KSampler',
      exception_type: 'torch.OutOfMemoryError',
      exception_message: 'Allocation on device 0 would exceed allowed memory.',
      traceback: ['  File "/srv/ComfyUI/execution.py", line 510'],
      ...error,
    };
    this.#endFailed(id, ['execution_error', details]);
  }

  end(
    id: string,
    status: object | null,
    { outputs = {}, messages = [] }: { outputs?: object | undefined; messages?: unknown[] } = {},
  ): void {
    this.run(id);
    const prompt = this.#running!;
    this.#running = null;
    this.#interruptAfterPolls = null;
    const all = [['execution_start', { prompt_id: id, timestamp: nowMs() }], ...messages];
    this.#history.set(id, { prompt, outputs, status: status && { ...status, messages: all } });
  }

  /** Forgets all prompts and keeps the files, as a restarted server does. */
  restart(): void {
    this.#pending = [];
    this.#running = null;
    this.#history.clear();
  }

  protected operationOf(method: string, rawPath: string): ComfyUiOperation | 'none' {
    if (method === 'POST' && jobPath.test(rawPath) && !this.options.cancelsNoJobs) return 'cancel';
    if (method === 'GET' && /^\/history\/[^/]+$/.test(rawPath)) return 'history';
    return routes[`${method} ${rawPath}`] ?? 'none';
  }

  protected rejection({ operation }: ComfyUiRequest): FakeResponse | null {
    return operation === 'none' ? noRoute : null;
  }

  protected async work(
    operation: ComfyUiOperation,
    { url, headers, body }: ComfyUiRequest,
  ): Promise<FakeResponse> {
    switch (operation) {
      case 'prompt':
        return this.#queuePrompt(parsed<PromptBody>(body) as PromptBody);
      case 'queue':
        return this.#queue();
      case 'history': {
        const id = decodeURIComponent(url.pathname.slice('/history/'.length));
        const entry = this.#history.get(id);
        return json(200, entry ? { [id]: { ...entry, prompt: itemOf(entry.prompt) } } : {});
      }
      case 'delete':
        return this.#delete(parsed<{ delete: string[] }>(body).delete ?? []);
      case 'interrupt':
        return this.#interrupt(parsed<{ prompt_id: string }>(body).prompt_id);
      case 'cancel': {
        const id = decodeURIComponent(jobPath.exec(url.pathname)![1]!);
        this.#delete([id]);
        this.#interrupt(id);
        return json(200, { cancelled: true });
      }
      case 'upload':
        return await this.#upload(body, headers['content-type'] ?? '');
      case 'view': {
        const { filename, subfolder } = Object.fromEntries(url.searchParams);
        const bytes = this.#outputFiles.get(subfolder ? `${subfolder}/${filename}` : filename!);
        const type = { 'content-type': 'video/mp4' };
        return bytes ? { status: 200, body: bytes, headers: type } : { status: 404, body: '' };
      }
    }
  }

  #queuePrompt({ prompt, prompt_id, client_id }: PromptBody): FakeResponse {
    const number = this.#number++;
    const id = this.options.givesOwnIds ? `own-${number}` : prompt_id;
    const extra = { ...(client_id ? { client_id } : {}), create_time: nowMs() };
    this.#pending.push({ id, number, graph: prompt, extra });
    this.queuedIds.push(id);
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

  #delete(ids: readonly string[]): FakeResponse {
    this.#pending = this.#pending.filter(({ id }) => !ids.includes(id));
    return done;
  }

  /** Without an id it stops the running prompt. */
  #interrupt(id: string | undefined): FakeResponse {
    if (this.#running && (!id || id === this.#running.id)) {
      this.#interruptAfterPolls = this.options.slowInterrupt ?? 0;
      if (this.#interruptAfterPolls === 0) this.#endInterrupted();
    }
    return done;
  }

  #endInterrupted(): void {
    const { id } = this.#running!;
    const details = { prompt_id: id, node_id: '3', node_type: 'KSampler', executed: [] };
    this.#endFailed(id, ['execution_interrupted', details]);
  }

  #endFailed(id: string, message: unknown): void {
    this.end(id, { status_str: 'error', completed: false }, { messages: [message] });
  }

  /** `/upload/image` accepts any kind of file without reading it. */
  async #upload(body: Buffer, contentType: string): Promise<FakeResponse> {
    const headers = { 'content-type': contentType };
    const form = await new Response(new Uint8Array(body), { headers }).formData();
    const image = form.get('image') as File;
    const subfolder = String(form.get('subfolder'));
    this.inputFiles.set(`${subfolder}/${image.name}`, Buffer.from(await image.arrayBuffer()));
    return json(200, { name: image.name, subfolder, type: 'input' });
  }
}

const itemOf = ({ number, id, graph, extra }: Prompt): unknown[] => [number, id, graph, extra, []];
