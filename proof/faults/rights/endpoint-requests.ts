/**
 * For every endpoint with a right that changes something: a request that succeeds, with new
 * resources of its own.
 */
import assert from 'node:assert/strict';
import { createCliLogin } from '../../../server/accounts/people/cli-login.ts';
import {
  secondFactorKeys,
  startEnrollment,
} from '../../../server/accounts/people/second-factor.ts';
import { createSession } from '../../../server/accounts/people/session.ts';
import { totpCode, totpStep } from '../../../server/accounts/people/totp.ts';
import { raiseNotice } from '../../../server/messages/notice.ts';
import { unixSeconds } from '../../../server/process/clock.ts';
import { insertDeliveries } from '../../../server/webhooks/delivery.ts';
import { packs } from '../../kit/fake-stripe.ts';
import { textToVideo } from '../../kit/journey.ts';
import { seedPerson, testPassword } from '../../kit/people.ts';
import type { TestService } from '../../kit/service.ts';

type NewAccount = Awaited<ReturnType<TestService['account']>>;

export type RequestContext = {
  readonly service: TestService;
  readonly account: NewAccount;
  /** The person who calls; absent for keys. */
  readonly personId?: string;
  readonly receiverUrl: string;
  readonly openIdIssuer: string;
};

/** A code of a new second factor of the person. */
async function newCodeOf(
  { service, personId }: RequestContext,
  { isEnabled = false } = {},
): Promise<{ code: string }> {
  const keys = secondFactorKeys(service.parts.secret);
  const secret = await service.db.transaction((tx) => startEnrollment(tx, keys, personId!));
  if (isEnabled) {
    await service.db.query('update second_factors set enabled_at = now() where person_id = $1', [
      personId,
    ]);
  }
  return { code: totpCode(secret!, totpStep(unixSeconds())) };
}

type EndpointRequest = {
  /** What is in the path for `:id` or `:name`; the account by default. */
  readonly id?: string;
  readonly path?: string;
  readonly body?: unknown;
};

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5E' +
    'rkJggg==',
  'base64',
);

/** Left to the provider, which has no part in this test. */
const unreachableVideo = 'http://127.0.0.1:9/street.mp4';

export const endpointRequests: Readonly<
  Record<string, EndpointRequest | ((context: RequestContext) => Promise<EndpointRequest>)>
> = {
  'POST /v1/videos/generations': { body: textToVideo },
  'POST /v1/videos/generations/estimate': { body: textToVideo },
  'POST /v1/files': { body: png },
  'POST /v1/videos': { body: { model: textToVideo.model, prompt: 'A boat' } },
  'POST /v1/videos/edits': async ({ service, account }) => {
    const grant = { amount: 1000, mode: 'live', note: 'A test' };
    await service.admin.post(`/admin/accounts/${account.id}/credits`, grant);
    return { body: { prompt: 'A boat', video: { url: unreachableVideo } } };
  },
  'POST /v1/videos/extensions': {
    body: { prompt: 'A boat', seconds: 4, video: { url: unreachableVideo } },
  },
  'DELETE /v1/videos/:id': async (context) => ({ id: await newTask(context) }),
  'POST /api/v1/videos': { body: { model: textToVideo.model, prompt: 'A boat' } },
  'POST /api/v3/contents/generations/tasks': {
    body: { model: textToVideo.model, content: [{ type: 'text', text: 'A boat' }] },
  },
  'DELETE /api/v3/contents/generations/tasks/:id': async (context) => ({
    id: await newTask(context),
  }),
  'POST /v1/models/:owner/:name/predictions': {
    path: `/v1/models/vidgen/${textToVideo.model}/predictions`,
    body: { input: { prompt: 'A boat' } },
  },
  'POST /v1/predictions/:id/cancel': async (context) => ({ id: await newTask(context) }),
  'POST /mcp': {
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'create_video',
        arguments: { model: textToVideo.model, ...textToVideo.input },
      },
    },
  },
  'POST /v1/tasks/:id/cancel': async (context) => ({ id: await newTask(context) }),
  'DELETE /v1/tasks/:id': async (context) => ({ id: await newFinalTask(context) }),
  'DELETE /admin/tasks/:id': async (context) => ({ id: await newFinalTask(context) }),
  'POST /admin/accounts/:id/webhook-url': async ({ receiverUrl }) => ({
    body: { url: receiverUrl },
  }),
  'POST /admin/accounts/:id/logins': async ({ service }) => {
    const { code } = await service.db.transaction((tx) =>
      createCliLogin(tx, { machine: 'A laptop', address: '127.0.0.1' }),
    );
    return { body: { code, mode: 'live' } };
  },
  'DELETE /session': {},
  'POST /session/confirm': { body: { password: testPassword } },
  'POST /session/password': {
    body: { current_password: testPassword, new_password: 'a kite of rice paper' },
  },
  'POST /session/confirm/openid': {},
  'POST /session/identity': {},
  'POST /session/second-factor': {},
  'POST /session/second-factor/enable': async (context) => ({ body: await newCodeOf(context) }),
  'POST /session/second-factor/disable': async (context) => ({
    body: await newCodeOf(context, { isEnabled: true }),
  }),
  'POST /session/second-factor/recovery-codes': async (context) => ({
    body: await newCodeOf(context, { isEnabled: true }),
  }),
  'POST /admin/people/:id/reset-second-factor': async (context) => {
    const { id: personId } = await seedPerson(context.service.db);
    await newCodeOf({ ...context, personId }, { isEnabled: true });
    return { id: personId };
  },
  'POST /admin/people/:id/unlink-identity': async ({ service, openIdIssuer }) => {
    const { id } = await seedPerson(service.db);
    await service.db.query(
      'insert into identities (issuer, subject, person_id) values ($1, $2::text, $2::uuid)',
      [`${openIdIssuer}/`, id],
    );
    return { id };
  },
  'POST /session/name': { body: { name: 'Another name' } },
  'DELETE /sessions/:id': async ({ service, personId }) => {
    const { id } = await service.db.transaction((tx) =>
      createSession(tx, { personId: personId!, address: '', agent: '' }),
    );
    return { id };
  },
  'POST /admin/accounts/:id/generations/estimate': async ({ account }) => ({
    path: `/admin/accounts/${account.id}/generations/estimate?mode=live`,
    body: textToVideo,
  }),
  'POST /admin/accounts/:id/keys': { body: { name: 'New', mode: 'live' } },
  'DELETE /admin/keys/:id': async ({ account }) => ({ id: account.keyId }),
  'POST /admin/accounts/:id/webhook-secret': { body: {} },
  'POST /admin/tasks/:id/cancel': async (context) => ({ id: await newTask(context) }),
  'POST /admin/deliveries/:id/replay': async (context) => ({ id: await newDelivery(context) }),
  'POST /admin/accounts/:id/generations': async ({ account }) => ({
    path: `/admin/accounts/${account.id}/generations?mode=live`,
    body: textToVideo,
  }),
  'POST /admin/accounts/:id/uploads': { body: png },
  'POST /admin/accounts/:id/deliveries/test': async ({ receiverUrl }) => ({
    body: { url: receiverUrl },
  }),
  'POST /admin/accounts/:id/deliveries/replay': async (context) => {
    const id = await newDelivery(context);
    await context.service.db.query(
      `update deliveries set status = 'exhausted', attempts_made = 1 where id = $1`,
      [id],
    );
    return { body: { since: '2020-01-01T00:00:00Z' } };
  },
  'POST /admin/accounts/:id/redemptions': async (context) => ({
    body: { code: (await newCode(context)).code },
  }),
  'POST /admin/accounts/:id/checkouts': { body: { pack: packs[0]!.id } },
  'POST /admin/accounts/:id/members/:person': async (context) => ({
    path: `/admin/accounts/${context.account.id}/members/${await newViewer(context)}`,
    body: { role: 'owner' },
  }),
  'DELETE /admin/accounts/:id/members/:person': async (context) => ({
    path: `/admin/accounts/${context.account.id}/members/${await newViewer(context)}`,
  }),
  'POST /admin/accounts/:id/invitations': { body: { role: 'owner' } },
  'DELETE /admin/accounts/:id/invitations/:invitation': async ({ service, account }) => {
    const path = `/admin/accounts/${account.id}/invitations`;
    const { body } = await service.admin.post(path, { role: 'viewer' });
    return { path: `${path}/${body.id as string}` };
  },
  'POST /admin/accounts': { body: { name: 'New' } },
  'POST /admin/accounts/:id/close': {},
  'PATCH /admin/accounts/:id': { body: { low_balance: 10 } },
  'POST /admin/accounts/:id/suspend': { body: { note: 'A test' } },
  'POST /admin/accounts/:id/resume': async ({ service, account }) => {
    await service.admin.post(`/admin/accounts/${account.id}/suspend`, { note: 'A test' });
    return {};
  },
  'POST /admin/keys/:id/spending-cap': async ({ account }) => ({
    id: account.keyId,
    body: { spend_cap: { credits: 5, period: 'day' } },
  }),
  'POST /admin/accounts/:id/retention': { body: { prompts_days: 30 } },
  'POST /admin/accounts/:id/erase': async ({ service, account }) => {
    const { body } = await service.admin.get(`/admin/accounts/${account.id}`);
    return { body: { name: body.name } };
  },
  'POST /admin/accounts/:id/credits': { body: { amount: 5, mode: 'live', note: 'A test' } },
  'POST /admin/tasks/:id/settle-refund': async (context) => {
    const taskId = await newTask(context);
    const { admin } = context.service;
    await admin.post(`/admin/accounts/${context.account.id}/close`);
    await admin.post(`/admin/tasks/${taskId}/cancel`);
    const body = { outcome: 'refunded', note: 'A test' };
    return { id: taskId, body };
  },
  'POST /admin/redemption-codes': { body: { amount: 5, mode: 'live', count: 2, note: 'A test' } },
  'DELETE /admin/redemption-codes/:id': async (context) => ({ id: (await newCode(context)).id }),
  'POST /admin/invitations': {},
  'POST /admin/people/:id/password-link': async ({ service }) => ({
    id: (await seedPerson(service.db)).id,
  }),
  'POST /admin/people/:id/close': async ({ service }) => ({
    id: (await seedPerson(service.db)).id,
  }),
  'POST /notices/read': async (context) => ({ body: { up_to: await newNotice(context) } }),
  'POST /notices/:id/dismiss': async (context) => ({ id: await newNotice(context) }),
  'POST /admin/notice-settings': async ({ receiverUrl }) => ({
    body: { webhook_url: receiverUrl },
  }),
  'POST /admin/notice-settings/test-mail': {},
  'POST /admin/providers': async () => ({ body: newProvider() }),
  'PATCH /admin/providers/:name': async (context) => ({
    id: await connectProvider(context),
    body: { base_url: 'http://127.0.0.1:10/v1' },
  }),
  'POST /admin/providers/:name/key': async (context) => ({
    id: await connectProvider(context),
    body: { api_key: 'another-key-of-the-engine' },
  }),
  'DELETE /admin/providers/:name': async (context) => ({ id: await connectProvider(context) }),
  'POST /admin/providers/:name/tests': async (context) => ({ id: await connectProvider(context) }),
  'POST /admin/routes/:model': async (context) => ({
    id: textToVideo.model,
    body: { providers: [await connectProvider(context)] },
  }),
  'POST /admin/vendor-bills': async (context) => ({
    path: `/admin/vendor-bills?provider=${await connectProvider(context)}&apply=true`,
    body: Buffer.from('id,usd\nop_of_another,0.42\n'),
  }),
  'POST /admin/margin/rehearsal': { body: { percent: 120 } },
  'POST /admin/signing-keys/rotate': {},
  'POST /admin/models': async () => ({ body: newModel() }),
  'PATCH /admin/models/:name': async (context) => ({
    id: await declareModel(context),
    body: { title: 'Another' },
  }),
  'DELETE /admin/models/:name': async (context) => ({ id: await declareModel(context) }),
  'POST /admin/workers': async () => ({ body: newWorker() }),
  'PATCH /admin/workers/:name': async (context) => ({
    id: await createWorker(context),
    body: { draining: true },
  }),
  'DELETE /admin/workers/:name': async (context) => ({ id: await createWorker(context) }),
};

async function newNotice({ service, account, personId }: RequestContext): Promise<string> {
  const accountId = account.id;
  await service.db.query(
    `insert into memberships (account_id, person_id, role) values ($1, $2, 'owner')
     on conflict do nothing`,
    [accountId, personId],
  );
  const detail = { available: 1, threshold: 5 };
  await service.db.transaction((tx) =>
    raiseNotice(tx, { kind: 'low_balance', accountId, subject: '', detail }),
  );
  const { rows } = await service.db.query<{ id: string }>(
    'select id from notices where account_id = $1',
    [accountId],
  );
  return rows[0]!.id;
}

let providers = 0;

const newProvider = () => ({
  name: `engine-${++providers}`,
  kind: 'openai-videos',
  dialect: 'vllm',
  // Nothing listens there.
  base_url: 'http://127.0.0.1:9/v1',
  api_key: 'a-key-of-the-engine',
  models: { [textToVideo.model]: 'any' },
});

async function connectProvider({ service }: RequestContext): Promise<string> {
  const provider = newProvider();
  const { status, body } = await service.admin.post('/admin/providers', provider);
  assert.equal(status, 201, JSON.stringify(body));
  return provider.name;
}

let models = 0;

const newModel = () => ({
  name: `kite-${++models}`,
  generationTypes: ['text-to-video'],
  seconds: [5],
  resolutions: { '480p': { perTask: 25 } },
});

async function declareModel({ service }: RequestContext): Promise<string> {
  const model = newModel();
  const { status, body } = await service.admin.post('/admin/models', model);
  assert.equal(status, 201, JSON.stringify(body));
  return model.name;
}

let workers = 0;
const newWorker = () => ({ name: `box-${++workers}` });

async function createWorker({ service }: RequestContext): Promise<string> {
  const worker = newWorker();
  const { status, body } = await service.admin.post('/admin/workers', worker);
  assert.equal(status, 201, JSON.stringify(body));
  return worker.name;
}

async function newFinalTask(context: RequestContext): Promise<string> {
  const taskId = await newTask(context);
  await context.service.admin.post(`/admin/tasks/${taskId}/cancel`);
  return taskId;
}

async function newTask({ account }: RequestContext): Promise<string> {
  const { status, body } = await account.client.create(textToVideo);
  assert.equal(status, 200, JSON.stringify(body));
  return body.taskId as string;
}

async function newDelivery(context: RequestContext): Promise<string> {
  const { service, account, receiverUrl: url } = context;
  const taskId = await newTask(context);
  const [delivery] = await service.db.transaction((tx) =>
    insertDeliveries(tx, [{ accountId: account.id, taskId, mode: 'live', url, body: '{}' }]),
  );
  return delivery!.id;
}

async function newCode({ service }: RequestContext): Promise<{ id: string; code: string }> {
  const request = { amount: 5, mode: 'live', count: 1, note: 'A test' };
  const { body } = await service.admin.post('/admin/redemption-codes', request);
  return (body.items as { id: string; code: string }[])[0]!;
}

async function newViewer({ service, account }: RequestContext): Promise<string> {
  const { id } = await seedPerson(service.db);
  await service.db.query(
    `insert into memberships (account_id, person_id, role) values ($1, $2, 'viewer')`,
    [account.id, id],
  );
  return id;
}
