/**
 * Fake Lumen: an invented upstream that does everything differently from the known ones: a header
 * of its own for the key, idempotency keys, numbers for states, errors with status 200, files that
 * require the key. It shows what a declared provider can describe.
 */
import { readFileSync } from 'node:fs';
import { type FakeResponse, FakeUpstream, json, type ReceivedRequest } from '../fake-upstream.ts';
import { resultVideoPath } from '../result-server.ts';

type LumenOperation = 'create' | 'get';

export type Render = {
  readonly id: number;
  readonly key: string;
  readonly job: Readonly<Record<string, unknown>>;
  phase: number;
  percent: number;
  fault: { kind: string; text: string } | null;
  hasFile: boolean;
};

export const phases = { waiting: 0, working: 1, done: 2, broken: 3, late: 4, stopped: 5 } as const;

export const problem = (status: number, kind: string, text: string): FakeResponse =>
  json(status, { problem: { kind, text } });

export class FakeLumen extends FakeUpstream<LumenOperation> {
  readonly apiKey = 'lumen-key';
  readonly renders: Render[] = [];
  protected override readonly basePath = '/v2';

  render(id: string): Render {
    return this.renders.find((one) => String(one.id) === id)!;
  }

  forget(id: string): void {
    this.renders.splice(this.renders.indexOf(this.render(id)), 1);
  }

  /** Everything except a start counts as a poll, including unknown paths. */
  protected operationOf(method: string, path: string): LumenOperation {
    return `${method} ${path}` === 'POST /v2/renders' ? 'create' : 'get';
  }

  protected rejection({ headers }: ReceivedRequest<LumenOperation>): FakeResponse | null {
    const isKnown = headers['x-lumen-key'] === `k:${this.apiKey}`;
    return isKnown ? null : problem(403, 'key', 'Who are you?');
  }

  protected work(
    operation: LumenOperation,
    request: ReceivedRequest<LumenOperation>,
  ): FakeResponse {
    const { method, path, headers, body } = request;
    if (operation === 'create') {
      return this.#create(JSON.parse(body.toString()), String(headers['x-once'] ?? ''));
    }
    const endpoint = `${method} ${path}`;
    const [, verb, id, stop] = /^(GET|POST) \/v2\/renders\/(\d+)(\/stop)?$/.exec(endpoint) ?? [];
    const render = this.renders.find((one) => String(one.id) === id);
    if (verb && !render) return problem(404, 'no_render', 'There is no such render.');
    if (render && verb === 'GET' && !stop) return json(200, viewOf(render));
    if (render && verb === 'POST' && stop) {
      if (render.phase <= phases.working) render.phase = phases.stopped;
      return json(200, {});
    }
    const file = this.renders.find((one) => endpoint === `GET /files/${one.id}.mp4`);
    if (!file?.hasFile) return { status: 404, body: 'nothing here' };
    const bytes = readFileSync(resultVideoPath);
    return { status: 200, body: bytes, headers: { 'content-type': 'video/mp4' } };
  }

  /** Returns the render of the first start with the same key. */
  #create(job: Render['job'], key: string): FakeResponse {
    const before = this.renders.find((one) => one.key === key);
    if (before) return json(202, { result: { renders: [{ id: before.id }] } });
    if (typeof job.seconds !== 'string' || !/^\d+s$/.test(job.seconds)) {
      return problem(422, 'bad_input', 'seconds must have the form 5s');
    }
    const id = 1000 + this.renders.length;
    const initial = { phase: phases.waiting, percent: 0, fault: null, hasFile: false };
    this.renders.push({ id, key, job, ...initial });
    return json(202, { result: { renders: [{ id }] } });
  }
}

const viewOf = ({ id, phase, percent, fault, hasFile }: Render) => ({
  render: {
    phase,
    share: percent / 100,
    assets: hasFile ? [{ kind: 'poster' }, { kind: 'video', href: `/files/${id}.mp4` }] : [],
  },
  ...(fault ? { problem: fault } : {}),
});
