/**
 * The data that requests refer to: an account with keys, people of every role, tasks, a delivery,
 * codes, links and an upload. People who were signed out are replaced.
 */
import type { Model as ModelView } from '@vidgen/contract/models-response.ts';
import { newAdministrator, newMember, testPassword } from '../../kit/people.ts';
import { type Client, makeAccount, testAdminToken } from '../../kit/service.ts';
import type { WireResponse } from './send.ts';
import type { Hints } from './values.ts';

const people = ['viewer', 'developer', 'owner', 'stranger', 'administrator'] as const;
type PersonName = (typeof people)[number];
export const keyCallers = ['API key', 'test key', 'key to cancel'] as const;
export const adminCallers = ['admin token', ...people] as const;
export const callers = ['anonymous', ...keyCallers, ...adminCallers] as const;
export type Caller = (typeof callers)[number];

const credits = 900_000_000_000;
export const tinyImage = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg' +
    'gg==',
  'base64',
);

type ServedApi = { readonly url: string; readonly admin: Client };
/** IDs for path parameters. What an operation ends or deletes is a `spare` one. */
type Ids = Readonly<
  Record<
    | ('account' | 'delivery' | 'code' | 'guide' | 'invitation' | 'session' | 'task' | 'upload')
    | ('spareAccount' | 'spareKey' | 'sparePerson' | 'spareTask'),
    string
  >
>;

export type FuzzEnvironment = Awaited<ReturnType<typeof openFuzzEnvironment>>;

/** `address` is a URL on this machine for webhooks and materials. */
export async function openFuzzEnvironment(server: ServedApi, address: string) {
  const { url, admin } = server;
  const own = await makeAccount(url, admin, { live: credits, test: credits });
  const ofAccount = `/admin/accounts/${own.id}`;
  const post = async (path: string, body: object) => (await admin.post(path, body)).body;
  const createKey = (mode: string, permissions?: readonly string[]) =>
    post(`${ofAccount}/keys`, { name: 'Fuzz', mode, ...(permissions && { permissions }) });
  const createTask = async () => {
    const input = { prompt: 'A paper boat', resolution: '480p', duration: 4 };
    const request = { model: 'vidgen-2-0-mini', callback_url: address, input };
    return String((await own.client.create(request)).body.taskId);
  };
  const cancelled = await createTask();
  await own.client.post(`/v1/tasks/${cancelled}/cancel`);
  const { body: deliveries } = await admin.get(`${ofAccount}/deliveries`);
  const { body: cursors } = await own.client.get('/v1/tasks?limit=1');
  const codeOptions = { amount: 1, mode: 'live', count: 1, note: 'Fuzz' };
  const { items: codes } = await post('/admin/redemption-codes', codeOptions);
  const [code] = codes as { id: string; code: string }[];
  const invitation = await post(`${ofAccount}/invitations`, { role: 'viewer' });
  const upload = await fetch(`${url}${ofAccount}/uploads`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testAdminToken}`, 'content-type': 'image/png' },
    body: tinyImage,
  });
  const uploaded = new URL(((await upload.json()) as { url: string }).url);
  const viewer = await newMember(server, { accountId: own.id, role: 'viewer' });
  const { body: sessions } = await viewer.get('/sessions');
  const ids: Ids = {
    account: own.id,
    delivery: (deliveries.items as { id: string }[])[0]!.id,
    code: code!.id,
    guide: 'errors',
    invitation: String(invitation.id),
    session: (sessions.items as { id: string }[])[0]!.id,
    task: cancelled,
    upload: uploaded.pathname.split('/').at(-1)!,
    spareAccount: (await makeAccount(url, admin)).id,
    spareKey: String((await createKey('live')).id),
    sparePerson: viewer.personId,
    spareTask: await createTask(),
  };
  const other = await makeAccount(url, admin, { live: 5 });
  const tokens: Readonly<Partial<Record<Caller, string>>> = {
    'admin token': testAdminToken,
    'API key': own.key,
    'test key': String((await createKey('test')).key),
    'key to cancel': String((await createKey('live', ['tasks:cancel', 'tasks:delete'])).key),
  };
  const cookies = new Map<Caller, string>();
  const signIn = async (name: PersonName) => {
    const isStranger = name === 'stranger';
    const accountId = isStranger ? other.id : own.id;
    const guest =
      name === 'administrator'
        ? await newAdministrator(server)
        : await newMember(server, { accountId, role: isStranger ? 'owner' : name });
    cookies.set(name, guest.cookie()!);
  };
  for (const name of people) await signIn(name);
  const hints: Hints = {
    ...hintsFor(address),
    ...(await modelHints(own.client)),
    after: [cancelled],
    task_id: [cancelled],
    token: [String(invitation.link).split('#')[1]!],
    code: [code!.code],
    cursor: [String(cursors.next_cursor)],
    key_id: [ids.spareKey],
    subject: [own.id],
  };
  return {
    ids,
    hints,
    uploadQuery: String(uploaded.searchParams),
    /** Tokens as a header; people as their browser sends them. */
    headersFor(caller: Caller): readonly (readonly [string, string])[] {
      const token = tokens[caller];
      if (token !== undefined) return [['authorization', `Bearer ${token}`]];
      const cookie = cookies.get(caller);
      const page = ['sec-fetch-site', 'same-origin'] as const;
      return cookie === undefined ? [page] : [page, ['cookie', cookie]];
    },
    /** Signs in again a person who was signed out or must confirm the password. */
    async restoreSession(caller: Caller, { status, headers }: WireResponse): Promise<void> {
      const name = people.find((one) => one === caller);
      if (name && (status === 401 || headers['vidgen-confirm'])) await signIn(name);
    },
  };
}

async function modelHints(client: Client): Promise<Hints> {
  const { items } = (await client.get('/v1/models')).body as { items: ModelView[] };
  const resolution = [...new Set(items.flatMap(({ resolutions }) => resolutions))];
  return { model: items.map(({ id }) => id), resolution };
}

const hintsFor = (address: string): Hints => ({
  callback_url: [address, 'https://hooks.example.com/x', 'https://10.0.0.1/'],
  url: [address],
  image_urls: [address, `data:image/png;base64,${tinyImage.toString('base64')}`],
  video_urls: [address],
  audio_urls: [address],
  image_url: [address],
  image: [address],
  input_reference: [address],
  reference_images: [address],
  size: ['1280x720', '480x854'],
  seconds: ['4', '8'],
  aspect_ratio: ['16:9'],
  password: [testPassword],
  current_password: [testPassword],
  expires_at: ['2030-01-31T12:00:00Z', '1900000000'],
  since: ['2026-01-01T00:00:00Z'],
  email: ['fuzz@example.com'],
  prompt: ['A paper boat drifts on a quiet lake', '[test:fail] A storm'],
});
