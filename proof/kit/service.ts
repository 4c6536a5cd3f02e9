/**
 * The whole service in one process on a scratch database, over real HTTP, composed as in `main.ts`
 * except for settings and providers of the test.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { ListAuditLogResponse } from '@vidgen/contract/admin-audit.ts';
import { UploadedFile } from '@vidgen/contract/files.ts';
import type { TaskStatusResponse } from '@vidgen/contract/task-status.ts';
import { composeService } from '../../server/compose.ts';
import { type Config, readConfig } from '../../server/config/config.ts';
import type { ConfigFile } from '../../server/config/config-file.ts';
import { checkInvariants } from '../../server/lifecycle/checks/invariants.ts';
import type { Provider } from '../../server/providers/provider.ts';
import type { ProviderLimits } from '../../server/providers/registry.ts';
import { createLog } from '../../server/telemetry/log.ts';
import { openScratchDatabase } from './scratch-database.ts';

export type HttpResponse<Body = Record<string, unknown>> = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
};

const createTriesMax = 10;
const isBusy = ({ status, body }: HttpResponse): boolean =>
  status === 429 && JSON.stringify(body).includes('being checked at the moment');

/** Repeats a create or an estimate whose materials a busy machine could not measure. */
export async function repeatWhileBusy(send: () => Promise<HttpResponse>): Promise<HttpResponse> {
  for (let tries = 1; ; tries++) {
    const response = await send();
    if (!isBusy(response) || tries === createTriesMax) return response;
  }
}

export type Client = {
  /** Repeats a create whose materials a busy machine could not measure. */
  create(body: unknown, headers?: Record<string, string>): Promise<HttpResponse>;
  get(path: string): Promise<HttpResponse>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<HttpResponse>;
  send(method: string, path: string, body?: unknown): Promise<HttpResponse>;
  upload(bytes: Uint8Array): Promise<UploadedFile>;
  task(id: string): Promise<TaskStatusResponse>;
  /** Long-polls (`?wait=`) until the task is final. */
  final(id: string): Promise<TaskStatusResponse>;
  /** Creates a task, and returns it when it is final. */
  run(body: unknown): Promise<TaskStatusResponse>;
};

/** The part that a helper may need. */
export type TestService = Omit<Awaited<ReturnType<typeof startService>>, 'home' | 'databaseUrl'>;

type KeyOptions = {
  readonly mode?: 'live' | 'test';
  readonly permissions?: readonly string[];
};

type AccountOptions = KeyOptions & {
  readonly live?: number;
  readonly test?: number;
  readonly name?: string;
};

export type TestServiceOptions = {
  /** Changes the database before the service opens it. */
  readonly prepareDatabase?: (url: string) => Promise<void>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly file?: ConfigFile;
  readonly providers?: Readonly<Record<string, Provider | readonly Provider[]>>;
  readonly limits?: Readonly<Record<string, ProviderLimits>>;
  /** Replaces the built-in renderer. */
  readonly renderer?: string;
};

export const testAdminToken = 'an admin token that only tests know';

export async function startService(options: TestServiceOptions = {}) {
  const home = await mkdtemp(join(tmpdir(), 'vidgen-test-'));
  const scratch = await openScratchDatabase(options);
  const { db } = scratch;
  const config: Config = readConfig({
    VIDGEN_HOME: home,
    PORT: '0',
    VIDGEN_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
    VIDGEN_LOG_LEVEL: process.env.VIDGEN_TEST_LOG_LEVEL ?? 'silent',
    // Each service would start a process for them; `posters.test.ts` has them.
    VIDGEN_POSTERS: 'off',
    VIDGEN_SECRET: 'a secret that only tests know, 32 long',
    ...options.environment,
  });
  const publicUrl = { base: 'http://127.0.0.1' };
  const parts = await composeService({
    config,
    file: options.file ?? {},
    db,
    isOnlyProcess: false,
    log: createLog(config.logLevel),
    publicUrl: () => publicUrl.base,
    adminToken: testAdminToken,
    ...(options.providers ? { providers: options.providers } : {}),
    ...(options.renderer === undefined ? {} : { renderer: options.renderer }),
    ...(options.limits ? { limits: options.limits } : {}),
  });
  if (parts.api) {
    await once(parts.api.server.listen({ host: '127.0.0.1', port: 0 }), 'listening');
    publicUrl.base = `http://127.0.0.1:${(parts.api.server.address() as AddressInfo).port}`;
  }
  await parts.worker?.start();
  const url = publicUrl.base;
  const admin = clientOf(url, testAdminToken);
  const close = async () => {
    await parts.close();
    await scratch.close();
    await rm(home, { recursive: true, force: true });
  };
  return {
    url,
    home,
    databaseUrl: scratch.url,
    db,
    parts,
    admin,
    client: (key: string): Client => clientOf(url, key),
    /** Creates an account with credits and a key through the admin API. */
    account: (accountOptions?: AccountOptions) => makeAccount(url, admin, accountOptions),
    /** What was done to an account, key, task or person, newest first. */
    async auditLog(subject: string) {
      const { body } = await admin.get(`/admin/audit-log?subject=${subject}`);
      return ListAuditLogResponse.parse(body).items;
    },
    async assertInvariants(): Promise<void> {
      const { checks } = await checkInvariants(db);
      assert.deepEqual(
        checks.filter(({ ok }) => !ok),
        [],
      );
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

export async function useService(options?: TestServiceOptions) {
  const service = await startService(options);
  after(() => service.close());
  return service;
}

export async function makeAccount(url: string, admin: Client, accountOptions: AccountOptions = {}) {
  const {
    live = 0,
    test = 0,
    mode = 'live',
    permissions,
    name: accountName = 'Journey',
  } = accountOptions;
  const { body: account } = await admin.post('/admin/accounts', { name: accountName });
  const id = account.id as string;
  for (const [name, amount] of Object.entries({ live, test })) {
    if (amount === 0) continue;
    await admin.post(`/admin/accounts/${id}/credits`, { amount, mode: name, note: 'for a test' });
  }
  const createKey = async (wanted: KeyOptions) => {
    const request = { name: accountName, mode, ...wanted };
    const { body } = await admin.post(`/admin/accounts/${id}/keys`, request);
    return { key: body.key as string, keyId: body.id as string };
  };
  const { key, keyId } = await createKey(permissions ? { permissions } : {});
  return {
    id,
    webhookSecret: account.webhook_secret as string,
    key,
    keyId,
    client: clientOf(url, key),
    /** A client with another key, by default of the same mode with all permissions. */
    otherClient: async (wanted: KeyOptions = {}) => clientOf(url, (await createKey(wanted)).key),
  };
}

export function clientOf(url: string, token: string): Client {
  const send = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<HttpResponse> => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text ? JSON.parse(text) : {},
    };
  };
  const task = async (id: string) =>
    (await send('GET', `/v1/tasks/${id}`)).body as unknown as TaskStatusResponse;
  const create = (body: unknown, headers?: Record<string, string>) =>
    repeatWhileBusy(() => send('POST', '/v1/videos/generations', body, headers));
  const final = async (id: string): Promise<TaskStatusResponse> => {
    for (;;) {
      const { status, body } = await send('GET', `/v1/tasks/${id}?wait=20`);
      assert.equal(status, 200, JSON.stringify(body));
      const seen = body as unknown as TaskStatusResponse;
      if (seen.status === 'completed' || seen.status === 'failed') return seen;
    }
  };
  return {
    send,
    task,
    create,
    final,
    async run(request) {
      const { status, body } = await create(request);
      assert.equal(status, 200, JSON.stringify(body));
      return await final(String(body.taskId));
    },
    get: (path) => send('GET', path),
    post: (path, body, headers) => send('POST', path, body, headers),
    async upload(bytes) {
      const headers = { authorization: `Bearer ${token}` };
      const request = { method: 'POST', headers, body: Buffer.from(bytes) };
      return UploadedFile.parse(await (await fetch(`${url}/v1/files`, request)).json());
    },
  };
}
