/**
 * Fake `/v1/videos` server in the dialect of OpenAI, vLLM-Omni, SGLang-Diffusion, a gateway or this
 * service. Tests move videos on and plan faults. Videos are in memory and gone after `restart`, as
 * with the engines.
 */
import { readFileSync } from 'node:fs';
import { unixSeconds } from '../../../server/process/clock.ts';
import type { DialectName } from '../../../server/providers/openai-videos/dialect.ts';
import { asText } from '../../../server/providers/toolkit/response-values.ts';
import { type FakeResponse, FakeUpstream, json, type ReceivedRequest } from '../fake-upstream.ts';
import { resultVideoPath } from '../result-server.ts';
import {
  engineError,
  errorResponse,
  failures,
  openAiError,
  vidgenFailureOf,
} from './error-responses.ts';
import { type ReceivedCreate, readCreate } from './rules.ts';
import { type FakeVideo, newVideo, viewOf } from './videos.ts';

export type VideosOperation = 'create' | 'get' | 'list' | 'delete' | 'content';

type VideosRequest = ReceivedRequest<VideosOperation>;

export type FakeOpenAiVideosOptions = {
  readonly dialect: DialectName;
  /** Null: no key is required, which is the default of the engines. */
  readonly apiKey?: string | null;
  readonly automatic?: boolean;
  /** Finished files are on another host: a video has their URL, or `/content` redirects there. */
  readonly filesElsewhere?: 'url' | 'redirect';
  /** How many DELETEs of running work get 409, since the work does not end at once. */
  readonly slowCancels?: number;
};

export const servedModel = 'Wan-AI/Wan2.2-TI2V-5B-Diffusers';
const prefix = '/v1/videos';
const listMax = 100;

export class FakeOpenAiVideos extends FakeUpstream<
  VideosOperation,
  FakeVideo,
  FakeOpenAiVideosOptions
> {
  readonly #isEngine = ['vllm', 'sglang'].includes(this.options.dialect);
  readonly apiKey: string | null =
    this.options.apiKey === undefined && !this.#isEngine
      ? 'sk-test'
      : (this.options.apiKey ?? null);
  protected override readonly basePath = '/v1';
  /** Whose start arrives next, and the references of all videos that were created. */
  reference = '';
  readonly createdFor: string[] = [];
  #slowCancels = this.options.slowCancels ?? 0;
  /** IDs of videos by their `Idempotency-Key`. */
  readonly #repeatable = new Map<string, string>();

  add(create: ReceivedCreate, change: Partial<FakeVideo> = {}): FakeVideo {
    const video = { ...newVideo(this.options.dialect, create, unixSeconds()), ...change };
    this.items.set(video.id, video);
    return video;
  }

  advance(id: string, status: string, change: Partial<FakeVideo> = {}): void {
    const video = this.item(id);
    video.status = status;
    if (status === 'in_progress') video.progress = 42;
    if (status === 'completed') {
      video.progress = 100;
      video.hasFile = true;
      if (this.options.filesElsewhere === 'url') video.url = this.results.videoUrl('out');
    }
    if (status === 'failed') video.error = failures.failed[this.options.dialect];
    if (['completed', 'failed'].includes(status)) video.completedSeconds = unixSeconds();
    Object.assign(video, change);
  }

  /** Forgets everything, as a restarted server does. */
  restart(): void {
    this.items.clear();
  }

  protected operationOf(method: string, path: string): VideosOperation | 'none' {
    const isOpenRouter = this.options.dialect === 'openrouter';
    if (isOpenRouter && (method === 'DELETE' || (method === 'GET' && path === prefix))) {
      return 'none';
    }
    if (path === prefix) return method === 'POST' ? 'create' : method === 'GET' ? 'list' : 'none';
    const [id, rest, ...more] = path.slice(prefix.length + 1).split('/');
    if (!path.startsWith(`${prefix}/`) || !id || more.length > 0) return 'none';
    if (rest !== undefined) return rest === 'content' && method === 'GET' ? 'content' : 'none';
    if (method === 'GET') return 'get';
    return method === 'DELETE' ? 'delete' : 'none';
  }

  protected rejection({ operation, headers }: VideosRequest): FakeResponse | null {
    const { dialect } = this.options;
    if (this.apiKey !== null && headers.authorization !== `Bearer ${this.apiKey}`) {
      return errorResponse(dialect, 'wrong key');
    }
    return operation === 'none' ? errorResponse(dialect, 'no such path') : null;
  }

  protected async work(
    operation: VideosOperation,
    { url, headers, body }: VideosRequest,
  ): Promise<FakeResponse> {
    if (operation !== 'create') return this.#read(operation, url);
    const create = await readCreate(body, headers['content-type'] ?? '');
    return this.#create(create, headers['idempotency-key']);
  }

  #create(create: ReceivedCreate, idempotencyKey: unknown): FakeResponse {
    const { dialect } = this.options;
    const key = dialect === 'vidgen' ? asText(idempotencyKey) : undefined;
    const repeated = this.items.get(this.#repeatable.get(key ?? '') ?? '');
    if (repeated) return json(200, this.#view(repeated));
    const video = this.add(create);
    if (key !== undefined) this.#repeatable.set(key, video.id);
    this.createdFor.push(this.reference);
    return json(dialect === 'openrouter' ? 202 : 200, this.#view(video));
  }

  #view(video: FakeVideo) {
    return viewOf(video, { dialect: this.options.dialect, servedModel });
  }

  #read(operation: Exclude<VideosOperation, 'create'>, url: URL): FakeResponse {
    if (operation === 'list') return this.#list(url.searchParams);
    const id = decodeURIComponent(url.pathname.slice(prefix.length + 1).replace(/\/content$/, ''));
    const video = this.items.get(id);
    if (!video) return errorResponse(this.options.dialect, 'no such video');
    if (operation === 'content') return this.#content(video, url.searchParams.get('variant'));
    return operation === 'get' ? this.#get(video) : this.#delete(video);
  }

  #get(video: FakeVideo): FakeResponse {
    const body = this.#view(video);
    const { dialect, automatic } = this.options;
    if (automatic) {
      // SGLang's videos are never in progress.
      if (video.status === 'queued' && dialect !== 'sglang') this.advance(video.id, 'in_progress');
      else if (['queued', 'in_progress'].includes(video.status))
        this.advance(video.id, 'completed');
    }
    // vLLM-Omni responds to a poll of a failed video with the status of its error.
    const code = dialect === 'vllm' && video.status === 'failed' ? codeOf(video.error) : 200;
    return json(code, body);
  }

  #content(video: FakeVideo, variant: string | null): FakeResponse {
    const { dialect } = this.options;
    const refuse = (status: number, message: string): FakeResponse =>
      this.#isEngine ? engineError(dialect, status, message) : openAiError(status, message);
    if (dialect === 'sglang' && video.url) {
      const message = 'Video has been uploaded to cloud storage. Please use the cloud URL: ';
      return refuse(400, message + video.url);
    }
    if (dialect === 'vllm' && video.status === 'failed') return refuse(422, 'Video has failed');
    if (video.status !== 'completed') return refuse(404, 'Generation is still in-progress');
    if (!video.hasFile) return refuse(404, `Video variant ${variant} not found`);
    if (this.options.filesElsewhere === 'redirect') {
      return { status: 302, body: '', headers: { location: this.results.videoUrl('out') } };
    }
    const bytes = readFileSync(resultVideoPath);
    return { status: 200, body: bytes, headers: { 'content-type': 'video/mp4' } };
  }

  #delete(video: FakeVideo): FakeResponse {
    const { dialect } = this.options;
    const isRunning = ['queued', 'in_progress'].includes(video.status);
    const deleted = { id: video.id, object: 'video.deleted', deleted: true };
    if (dialect === 'vllm' && isRunning && this.#slowCancels > 0) {
      this.#slowCancels--;
      return engineError(dialect, 409, 'Cancellation in progress. Please try again later.');
    }
    if (isRunning && (dialect === 'openai' || dialect === 'gateway')) {
      return openAiError(400, 'Only completed or failed videos can be deleted.');
    }
    if (isRunning && dialect === 'vidgen') {
      this.advance(video.id, 'failed', { error: vidgenFailureOf('cancelled') });
      return json(200, deleted);
    }
    this.items.delete(video.id);
    // SGLang forgets the video but keeps generating it.
    return dialect === 'sglang'
      ? json(200, { ...this.#view(video), status: 'deleted' })
      : json(200, deleted);
  }

  #list(query: URLSearchParams): FakeResponse {
    const { dialect } = this.options;
    const limit = Number(query.get('limit') ?? Number.POSITIVE_INFINITY);
    if (query.has('limit') && limit > listMax) return openAiError(400, 'limit must be 1 to 100');
    const ascending = this.started().toSorted(
      (one, other) => one.createdSeconds - other.createdSeconds,
    );
    const ordered = query.get('order') === 'asc' ? ascending : ascending.reverse();
    const after = query.get('after');
    const from = after === null ? 0 : ordered.findIndex(({ id }) => id === after) + 1;
    const left = after !== null && from === 0 ? [] : ordered.slice(from);
    const data = left.slice(0, limit).map((video) => this.#view(video));
    if (dialect === 'sglang') return json(200, { object: 'list', data });
    const ids = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
    return json(200, { object: 'list', data, ...ids, has_more: left.length > data.length });
  }
}

function codeOf(error: object | string | null): number {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'number' && code >= 400 && code < 600 ? code : 500;
}
