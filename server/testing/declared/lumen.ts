/**
 * Lumen, an upstream that exists nowhere, and does everything in another way than the known ones: a
 * header of its own for the key, keys that drop duplicates, numbers for states, errors with status
 * 200, files behind its own door. It shows how far a description reaches.
 */
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closeServer, resultVideoPath } from '../result-server.ts';

export type RawAnswer = {
  readonly status: number;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
};
export type Fault = {
  readonly work: 'done' | 'not-done';
  readonly answer: 'lose' | 'hang' | RawAnswer;
};

export type Render = {
  readonly id: number;
  readonly key: string;
  readonly job: Readonly<Record<string, unknown>>;
  phase: number;
  percent: number;
  fault: { kind: string; text: string } | null;
  hasFile: boolean;
};

/** Its states. */
export const phases = { waiting: 0, working: 1, done: 2, broken: 3, late: 4, stopped: 5 } as const;

export const json = (status: number, body: unknown): RawAnswer => ({
  status,
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
});
export const problem = (status: number, kind: string, text: string): RawAnswer =>
  json(status, { problem: { kind, text } });

export class LumenDouble implements AsyncDisposable {
  readonly apiKey = 'lumen-key';
  readonly renders: Render[] = [];
  readonly #faults: Record<'create' | 'get', Fault[]> = { create: [], get: [] };
  readonly #server = createServer((request, response) => {
    this.#serve(request, response).catch(() => request.socket.destroy());
  });

  static async start(): Promise<LumenDouble> {
    const double = new LumenDouble();
    await new Promise<void>((resolve) => double.#server.listen(0, '127.0.0.1', resolve));
    return double;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v2`;
  }

  next(operation: 'create' | 'get', fault: Fault): void {
    this.#faults[operation].push(fault);
  }

  render(id: string): Render {
    return this.renders.find((one) => String(one.id) === id)!;
  }

  forget(id: string): void {
    this.renders.splice(this.renders.indexOf(this.render(id)), 1);
  }

  close(): Promise<void> {
    return closeServer(this.#server);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.headers['x-lumen-key'] !== `k:${this.apiKey}`) {
      return send(response, problem(403, 'key', 'Who are you?'));
    }
    const call = `${request.method} ${request.url}`;
    const work = () => this.#work(call, Buffer.concat(chunks).toString(), request.headers);
    const kind = call === 'POST /v2/renders' ? 'create' : 'get';
    const fault = this.#faults[kind].shift();
    if (!fault) return send(response, work());
    if (fault.work === 'done') work();
    if (fault.answer === 'lose') request.socket.destroy();
    else if (fault.answer !== 'hang') send(response, fault.answer);
  }

  #work(call: string, body: string, headers: IncomingMessage['headers']): RawAnswer {
    if (call === 'POST /v2/renders') {
      return this.#create(JSON.parse(body), String(headers['x-once'] ?? ''));
    }
    const [, verb, id, stop] = /^(GET|POST) \/v2\/renders\/(\d+)(\/stop)?$/.exec(call) ?? [];
    const render = this.renders.find((one) => String(one.id) === id);
    if (verb && !render) return problem(404, 'no_render', 'There is no such render.');
    if (render && verb === 'GET' && !stop) return json(200, viewOf(render));
    if (render && verb === 'POST' && stop) {
      if (render.phase <= phases.working) render.phase = phases.stopped;
      return json(200, {});
    }
    const file = this.renders.find((one) => call === `GET /files/${one.id}.mp4`);
    if (!file?.hasFile) return { status: 404, body: 'nothing here' };
    const bytes = readFileSync(resultVideoPath);
    return { status: 200, body: bytes, headers: { 'content-type': 'video/mp4' } };
  }

  /** The second start with a key is answered as the first was. */
  #create(job: Render['job'], key: string): RawAnswer {
    const before = this.renders.find((one) => one.key === key);
    if (before) return json(202, { result: { renders: [{ id: before.id }] } });
    if (typeof job.seconds !== 'string' || !/^\d+s$/.test(job.seconds)) {
      return problem(422, 'bad_input', 'seconds must look like 5s');
    }
    const id = 1000 + this.renders.length;
    const fresh = { phase: phases.waiting, percent: 0, fault: null, hasFile: false };
    this.renders.push({ id, key, job, ...fresh });
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

function send(response: ServerResponse, { status, body, headers }: RawAnswer): void {
  response.writeHead(status, { ...headers }).end(body);
}
