/**
 * The base of the fakes behind the presets: jobs that a start creates, a result file, and the
 * checks that every vendor makes (the key, headers). A vendor's file adds its wire, written from
 * its documentation and not from the preset.
 */
import { readFileSync } from 'node:fs';
import type { DeclaredSettings } from '../../../server/providers/declared/settings.ts';
import type { Harness } from '../conformance.ts';
import type { FaultResponses } from '../conformance-faults.ts';
import type { ReceivedStart, UpstreamState } from '../conformance-fixture.ts';
import {
  type FakeResponse,
  FakeUpstream,
  htmlPage,
  json,
  parsed,
  type ReceivedRequest,
} from '../fake-upstream.ts';
import { resultVideoPath } from '../result-server.ts';

type JobState = Exclude<UpstreamState, 'vanished'> | 'queued' | 'cancelled';
// biome-ignore lint/suspicious/noExplicitAny: each vendor reads the body in its own shape.
type JobBody = Record<string, any>;
export type Job = {
  readonly id: string;
  /** Of the start that is under way; most vendors do not send it. */
  readonly reference: string;
  readonly body: JobBody;
  readonly request: VendorRequest;
  state: JobState;
  /** A public URL of the file; requests with a key get 403. */
  readonly videoUrl: string;
};
export type VendorRequest = ReceivedRequest<'create' | 'get'> & {
  /** Below the base path. */
  readonly route: string;
};

export type VendorWire = {
  readonly preset: DeclaredSettings;
  readonly basePath: string;
  /** Refused without them. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly isStart: (route: string) => boolean;
  /** Returns why the vendor refuses a start. */
  readonly problem: (body: JobBody, request: VendorRequest) => string | undefined;
  readonly accepted: (job: Job) => FakeResponse;
  /** The id that a poll names. */
  readonly polled: (request: VendorRequest) => string | undefined;
  readonly view: (job: Job) => FakeResponse;
  readonly missing: FakeResponse;
  /** Endpoints of the vendor's own: lists, cancels, files. */
  readonly other?: (request: VendorRequest, fake: FakeVendor) => FakeResponse | undefined;
  readonly responses: FaultResponses;
  readonly received: (job: Job) => ReceivedStart;
  readonly unsupported: NonNullable<Harness['unsupported']>;
};

export class FakeVendor extends FakeUpstream<'create' | 'get', Job, VendorWire> {
  readonly apiKey = 'vendor-key';
  /** The start that is under way, for fakes whose vendor is not sent a reference. */
  reference = '';
  readonly started: Job[] = [];

  static async start(wire: VendorWire): Promise<FakeVendor> {
    return await new FakeVendor(wire).listen();
  }

  get baseUrl(): string {
    return this.origin + this.options.basePath;
  }

  job(id: string): Job | undefined {
    return this.items.get(id);
  }

  /** What was started and has not vanished, oldest first. */
  known(): Job[] {
    return [...this.items.values()];
  }

  protected operationOf(method: string, path: string): 'create' | 'get' {
    return method === 'POST' && this.options.isStart(this.#route(path)) ? 'create' : 'get';
  }

  protected rejection({ url, headers }: ReceivedRequest<'create' | 'get'>): FakeResponse | null {
    const { headers: required = {}, responses } = this.options;
    if (url.pathname.startsWith('/files/')) return null;
    const isAuthorized = headers.authorization === `Bearer ${this.apiKey}`;
    const hasHeaders = Object.entries(required).every(([name, value]) => headers[name] === value);
    return isAuthorized && hasHeaders ? null : responses.accountRejected;
  }

  protected work(
    operation: 'create' | 'get',
    received: ReceivedRequest<'create' | 'get'>,
  ): FakeResponse {
    const request = { ...received, route: this.#route(received.url.pathname) };
    if (operation === 'create') return this.#create(request);
    if (received.url.pathname.startsWith('/files/')) return file(request);
    const own = this.options.other?.(request, this);
    if (own) return own;
    const id = this.options.polled(request);
    if (id === undefined) return htmlPage;
    const job = this.job(id);
    return job ? this.options.view(job) : this.options.missing;
  }

  #route(path: string): string {
    return path.slice(this.options.basePath.length);
  }

  #create(request: VendorRequest): FakeResponse {
    const body: JobBody = parsed(request.body);
    const problem = this.options.problem(body, request);
    if (problem !== undefined) {
      const { status, headers } = this.options.responses.inputRejected;
      return json(status, { problem }, headers);
    }
    const id = `job-${this.started.length + 1}`;
    const videoUrl = `${this.origin}/files/${id}.mp4`;
    const job: Job = {
      ...{ id, body, request, videoUrl },
      reference: this.reference,
      state: 'queued',
    };
    this.items.set(id, job);
    this.started.push(job);
    return this.options.accepted(job);
  }
}

/** The result; a key here would have been sent to another host. */
function file({ headers }: Pick<VendorRequest, 'headers'>): FakeResponse {
  if (headers.authorization !== undefined) return { status: 403, body: 'no keys here' };
  const body = readFileSync(resultVideoPath);
  return { status: 200, body, headers: { 'content-type': 'video/mp4' } };
}

/** The first group of `pattern` in a route. */
export const idIn = (pattern: RegExp, route: string): string | undefined =>
  pattern.exec(route)?.[1];

/** The responses of a vendor that uses HTTP statuses, with its own shape of errors. */
export const errorResponses = (
  error: (status: number, code: string, message: string) => FakeResponse,
  codes: { readonly rejected?: string; readonly message?: string } = {},
): FaultResponses => ({
  serverError: error(500, 'InternalError', 'Something went wrong.'),
  throttled: error(429, 'Throttling', 'Too many requests.'),
  contentRejected: error(400, codes.rejected ?? 'rejected', codes.message ?? 'Rejected.'),
  inputRejected: error(400, 'InvalidParameter', 'The duration is not supported.'),
  accountRejected: error(401, 'InvalidApiKey', 'The API key is not valid.'),
  garbage: { status: 200, body: '{"id": ' },
  wrongTypes: json(200, [{ id: {}, status: ['x'] }]),
});

export const noSeed = 'the upstream has no seed';
export const noEditing =
  'the upstream edits nothing: `unsupportedReason` declines a duration of -1';
export const noReferences =
  'the upstream takes no such references: `unsupportedReason` declines them';
export const noExpiry = 'an operation has no deadline at the upstream';
export const lateModeration = 'content is moderated after the start';
