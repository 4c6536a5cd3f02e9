/** GPU boxes: create, drain and revoke them, and the connections that they open. */
import {
  CreatedWorker,
  CreateWorkerRequest,
  ListWorkersResponse,
  UpdateWorkerRequest,
  Worker,
  WorkerParams,
} from '@vidgen/contract/admin-workers.ts';
import { ApiError, invalidRequest } from '@vidgen/contract/api-error.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { version } from '../../config/version.ts';
import { requireBox } from '../../providers/fleet/fleet.ts';
import { connectionsPerBoxMax } from '../../providers/fleet/held-boxes.ts';
import { type BoxReport, deleteBox, insertBox, setDraining } from '../../providers/fleet/store.ts';
import { handshakeResponse } from '../../providers/fleet/web-socket.ts';
import { endpoint, jsonResponse } from '../http/endpoint.ts';
import type { ApiRequest, ApiResponse } from '../http/handler.ts';
import { createdAt } from '../http/samples.ts';
import { listWorkerViews } from './worker-view.ts';

const workerSample: Worker = {
  name: 'den-5080',
  label: 'gpus',
  state: 'connected',
  draining: false,
  engine: 'comfyui',
  slots: 1,
  version,
  current_tasks: 1,
  seconds_per_clip: 48.2,
  providers: ['den'],
  created_at: createdAt,
  last_seen_at: createdAt + 600,
};
const newSample: Worker = {
  ...workerSample,
  state: 'new',
  engine: null,
  slots: 0,
  version: null,
  current_tasks: 0,
  seconds_per_clip: null,
  providers: [],
  last_seen_at: null,
};

const listWorkers = endpoint({
  operationId: 'listWorkers',
  method: 'GET',
  path: '/admin/workers',
  summary: 'List GPU boxes',
  auth: 'admin',
  responses: {
    200: jsonResponse('The boxes, by name.', ListWorkersResponse, {
      one: ['One box', { items: [workerSample], next_cursor: null }],
    }),
  },
  handler: async (services) => ({
    body: { items: await listWorkerViews(services), next_cursor: null },
  }),
});

const createWorker = endpoint({
  operationId: 'createWorker',
  method: 'POST',
  path: '/admin/workers',
  summary: 'Create a GPU box',
  description:
    'Returns the token with which `vidgen worker` connects under this name, and no other. A ' +
    'provider with the base URL `tunnel://name` then runs on it.',
  auth: 'admin',
  requiresConfirmation: true,
  body: CreateWorkerRequest,
  requestExamples: { one: ['In a pool', { name: 'den-5080', label: 'gpus' }] },
  responses: {
    201: jsonResponse('The box, with its token.', CreatedWorker, {
      created: ['Created', { ...newSample, token: 'vgbox_shown-once' }],
    }),
  },
  errors: { invalid_request: 'A GPU box has the name den-5080; choose another.' },
  async handler(services, { body, actor, transaction }) {
    const { name, label = null } = body;
    const { token, tokenDigest } = services.fleet.createToken();
    await transaction(async (tx) => {
      await insertBox(tx, { name, label, tokenDigest, createdBy: actor });
      const detail = { label };
      await recordAudit(tx, { actor, action: 'worker.create', subject: name, detail });
    });
    await services.fleet.refresh();
    const view = (await listWorkerViews(services)).find((one) => one.name === name)!;
    const created: CreatedWorker = { ...view, token };
    return { status: 201, body: created };
  },
});

const updateWorker = endpoint({
  operationId: 'updateWorker',
  method: 'PATCH',
  path: '/admin/workers/:name',
  summary: 'Drain a GPU box',
  auth: 'admin',
  params: WorkerParams,
  body: UpdateWorkerRequest,
  requestExamples: { drain: ['No new tasks', { draining: true }] },
  responses: {
    200: jsonResponse('The box.', Worker, {
      draining: ['Finishing its tasks', { ...workerSample, state: 'draining', draining: true }],
    }),
  },
  errors: { not_found: 'No GPU box found with this name.' },
  async handler(services, { params, body, actor, transaction }) {
    const name = params.name!;
    await transaction(async (tx) => {
      await setDraining(tx, { name, ...body });
      await recordAudit(tx, { actor, action: 'worker.change', subject: name, detail: body });
    });
    await services.fleet.refresh();
    return { body: (await listWorkerViews(services)).find((one) => one.name === name) };
  },
});

const revokeWorker = endpoint({
  operationId: 'revokeWorker',
  method: 'DELETE',
  path: '/admin/workers/:name',
  summary: 'Revoke a GPU box',
  description:
    'Closes its connections at once, in every process. A task that it is working on fails at ' +
    'its deadline and is refunded: drain the box before.',
  auth: 'admin',
  params: WorkerParams,
  responses: { 204: { description: 'Revoked.' } },
  errors: { not_found: 'No GPU box found with this name.' },
  async handler({ fleet }, { params, actor, transaction }) {
    const name = params.name!;
    await transaction(async (tx) => {
      await deleteBox(tx, name);
      await recordAudit(tx, { actor, action: 'worker.revoke', subject: name });
    });
    await fleet.refresh();
    return { status: 204 };
  },
});

const connectWorker = endpoint({
  operationId: 'connectWorker',
  method: 'GET',
  path: '/fleet/v1/connect',
  summary: 'Connect a GPU box',
  description: 'A WebSocket that carries one HTTP request from the service to the engine.',
  auth: 'worker',
  hidden: true,
  responses: { 101: { description: 'Connected.' } },
  async handler({ fleet }, { headers }) {
    const { name } = await requireBox(fleet, headers.authorization);
    const report = reportOf(headers);
    const theirs = report.version.split('.')[0];
    if (theirs !== version.split('.')[0]) {
      return refused(426, `vidgen worker ${report.version} is too old or too new for ${version}.`);
    }
    const response = handshakeResponse(headers['sec-websocket-key']);
    if (headers.upgrade?.toString().toLowerCase() !== 'websocket' || response === null) {
      return refused(426, 'Send a WebSocket handshake: run vidgen worker.');
    }
    switch (await fleet.admit(name, report)) {
      case 'in-use':
        return refused(
          409,
          `Another machine is connected as ${name}; stop it, or use its own name.`,
        );
      case 'full': {
        const message = `${name} has ${connectionsPerBoxMax} connections; close some.`;
        throw new ApiError('rate_limited', message, { retryAfter: 10 });
      }
      case null:
        return {
          status: 101,
          upgrade(socket) {
            socket.write(response);
            fleet.add(name, report, socket);
          },
        };
    }
  },
});

/** What the program reports of itself. */
function reportOf(headers: ApiRequest['headers']): BoxReport {
  const read = (name: string, pattern: RegExp): string => {
    const value = headers[name];
    if (typeof value === 'string' && pattern.test(value)) return value;
    throw invalidRequest(`${name} is missing or invalid; run vidgen worker.`);
  };
  return {
    engine: read('vidgen-engine', /^(openai-videos|comfyui)$/),
    slots: Number(read('vidgen-slots', /^([0-9]|[1-5][0-9]|6[0-4])$/)),
    version: read('vidgen-version', /^\d{1,5}\.\d{1,5}\.\d{1,5}$/),
    instance: read('vidgen-instance', /^[\w-]{1,64}$/),
  };
}

/** With statuses that are not in the contract's table of errors. */
function refused(status: 409 | 426, message: string): ApiResponse {
  const update = status === 426 ? ' Update it: curl -fsSO <url>/vidgen.mjs' : '';
  const headers = status === 426 ? { upgrade: 'websocket' } : {};
  return {
    status,
    headers,
    body: { error: { code: 'invalid_request', message: message + update } },
  };
}

export const workerEndpoints = [
  listWorkers,
  createWorker,
  updateWorker,
  revokeWorker,
  connectWorker,
];
