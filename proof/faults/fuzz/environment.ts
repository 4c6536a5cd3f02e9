/**
 * The data that requests refer to: an account with keys, people of every role, tasks, deliveries,
 * links. It learns IDs from responses and replaces people who were signed out.
 */
import { type Guest, newAdministrator, newMember } from '../../kit/people.ts';
import { type Client, makeAccount, testAdminToken } from '../../kit/service.ts';
import type { WireResponse } from './send.ts';

const tokenCallers = ['anonymous', 'admin token', 'API key', 'test key', 'key to cancel'] as const;
const people = [
  'viewer',
  'developer',
  'owner',
  'owner of another account',
  'administrator',
] as const;
export const callers = [...tokenCallers, ...people] as const;
export type CallerName = (typeof callers)[number];
type PersonName = (typeof people)[number];

/** The newest values of each pool are kept. */
const poolMax = 40;
const spares = 2;
const credits = 900_000_000_000;
/** For lists, cancels and deliveries. */
const firstTasks = 3;

type ServedApi = { readonly url: string; readonly admin: Client };
type Headers = readonly (readonly [string, string])[];

export class FuzzEnvironment {
  readonly #server: ServedApi;
  readonly #pools = new Map<string, string[]>();
  readonly tokens: Readonly<Partial<Record<CallerName, string>>>;
  readonly #cookies = new Map<CallerName, string>();
  readonly #accounts: { readonly own: string; readonly other: string };
  readonly #signedOut = new Set<PersonName>();

  private constructor(
    server: ServedApi,
    parts: { tokens: FuzzEnvironment['tokens']; own: string; other: string },
  ) {
    this.#server = server;
    this.tokens = parts.tokens;
    this.#accounts = { own: parts.own, other: parts.other };
  }

  /** `callbackUrl` is a URL on this machine for webhooks and materials. */
  static async open(
    server: ServedApi,
    { callbackUrl }: { callbackUrl: string },
  ): Promise<FuzzEnvironment> {
    const { url, admin } = server;
    const own = await makeAccount(url, admin, { live: credits, test: credits });
    const other = await makeAccount(url, admin, { live: 5 });
    const keyOf = async (request: object) => {
      const { body } = await admin.post(`/admin/accounts/${own.id}/keys`, request);
      return { id: String(body.id), key: String(body.key) };
    };
    const env = new FuzzEnvironment(server, {
      own: own.id,
      other: other.id,
      tokens: {
        'admin token': testAdminToken,
        'API key': own.key,
        'test key': (await keyOf({ name: 'Test', mode: 'test' })).key,
        'key to cancel': (
          await keyOf({
            ...{ name: 'Reader', mode: 'live', permissions: ['tasks:cancel', 'tasks:delete'] },
          })
        ).key,
      },
    });
    env.add('account', own.id);
    env.add('address', callbackUrl);
    env.add('password', 'a boat of folded paper');
    for (const name of ['overview', 'errors', 'webhooks']) env.add('guide', name);
    for (let nth = 0; nth < spares; nth++) {
      env.add('spareKey', (await keyOf({ name: 'Spare', mode: 'live' })).id);
      env.add('spareAccount', (await makeAccount(url, admin)).id);
      env.add('sparePerson', (await env.#member('viewer')).personId);
    }
    for (let nth = 0; nth < firstTasks; nth++) await env.#addTask(own.client, callbackUrl);
    for (let nth = 0; nth < spares; nth++) {
      env.add('spareTask', await env.#createTask(own.client, callbackUrl));
      env.add('taskInProgress', await env.#createTask(own.client, callbackUrl));
    }
    for (const name of people) await env.#signIn(name);
    return env;
  }

  add(pool: string, value: string): void {
    const values = this.#pools.get(pool) ?? [];
    if (!values.includes(value)) values.push(value);
    if (values.length > poolMax) values.splice(1, 1);
    this.#pools.set(pool, values);
  }

  pick(pool: string, number: number): string {
    const values = this.#pools.get(pool) ?? [];
    return values[number % values.length] ?? 'none';
  }

  /** Tokens as a header; people as their browser sends them. */
  headersOf(caller: CallerName): Headers {
    const token = this.tokens[caller];
    if (token !== undefined) return [['authorization', `Bearer ${token}`]];
    const cookie = this.#cookies.get(caller);
    const page = ['sec-fetch-site', 'same-origin'] as const;
    return cookie === undefined ? [page] : [page, ['cookie', cookie]];
  }

  /** Adds the cookies and IDs of a response. */
  learn(operationId: string, caller: CallerName, response: WireResponse): void {
    this.#learnCookie(operationId, caller, response);
    if (response.status >= 300 || !/json/.test(response.headers['content-type'] ?? '')) return;
    if (response.body.length > 500_000) return;
    const parsed = JSON.parse(response.body.toString()) as LearnedBody;
    const [pool, linkPool] = poolsOf[operationId] ?? [];
    const ids = parsed.items ?? [parsed];
    if (pool) for (const { id } of ids) if (typeof id === 'string') this.add(pool, id);
    if (linkPool && parsed.link) this.add(linkPool, parsed.link.split('#')[1] ?? '');
    if (typeof parsed.taskId === 'string') this.add('task', parsed.taskId);
    if (operationId === 'useLink' && parsed.person) this.add('sparePerson', parsed.person.id);
    if (typeof parsed.next_cursor === 'string') this.add('cursor', parsed.next_cursor);
    if (operationId === 'createRedemptionCodes') {
      for (const { id, code } of parsed.items ?? []) {
        if (id) this.add('codeId', id);
        if (code) this.add('code', code);
      }
    }
    if (operationId === 'uploadFile' && parsed.url) {
      const { pathname, searchParams } = new URL(parsed.url);
      this.add('upload', pathname.split('/').at(-1)!);
      this.add('uploadQuery', String(searchParams));
    }
  }

  /** Replaces people who were signed out or must confirm their password. */
  async restoreSessions(): Promise<void> {
    for (const name of this.#signedOut) {
      this.#signedOut.delete(name);
      await this.#signIn(name);
    }
  }

  #learnCookie(operationId: string, caller: CallerName, { status, headers }: WireResponse): void {
    const name = people.find((one) => one === caller);
    if (!name) return;
    const pair = headers['set-cookie']?.[0]?.split(';')[0];
    if (pair !== undefined && !pair.endsWith('=')) this.#cookies.set(caller, pair);
    const isOut = pair?.endsWith('=') || (operationId === 'signOut' && status < 300);
    if (isOut || headers['vidgen-confirm']) this.#signedOut.add(name);
  }

  async #signIn(name: PersonName): Promise<void> {
    const guest = await this.#guest(name);
    this.#cookies.set(name, guest.cookie()!);
  }

  async #guest(name: PersonName): Promise<Guest> {
    if (name === 'administrator') return await newAdministrator(this.#server);
    if (name !== 'owner of another account') return await this.#member(name);
    const { other: accountId } = this.#accounts;
    return await newMember(this.#server, { accountId, role: 'owner' });
  }

  async #member(role: 'viewer' | 'developer' | 'owner'): Promise<Guest> {
    return await newMember(this.#server, { accountId: this.#accounts.own, role });
  }

  /** The first task is cancelled, so that there is a delivery. */
  async #createTask(client: Client, callbackUrl: string): Promise<string> {
    const input = { prompt: 'A paper boat', resolution: '480p', duration: 4 };
    const { body } = await client.create({
      model: 'vidgen-2-0-mini',
      callback_url: callbackUrl,
      input,
    });
    return String(body.taskId);
  }

  async #addTask(client: Client, callbackUrl: string): Promise<void> {
    const taskId = await this.#createTask(client, callbackUrl);
    this.add('task', taskId);
    if (this.#pools.has('delivery')) return;
    await client.post(`/v1/tasks/${taskId}/cancel`);
    const path = `/admin/accounts/${this.#accounts.own}/deliveries`;
    const { body: page } = await this.#server.admin.get(path);
    for (const { id } of page.items as { id: string }[]) this.add('delivery', id);
  }
}

type LearnedBody = {
  readonly id?: string;
  readonly items?: readonly { readonly id?: string; readonly code?: string }[];
  readonly link?: string;
  readonly person?: { readonly id: string };
  readonly url?: string;
  readonly taskId?: string;
  readonly next_cursor?: string | null;
};

/** The pools for the IDs and the link of a response. */
const poolsOf: Readonly<Record<string, readonly [string | null, string?]>> = {
  createAccount: ['spareAccount'],
  createApiKey: ['spareKey'],
  listSessions: ['session'],
  inviteMember: ['invitation', 'link'],
  inviteAdministrator: [null, 'link'],
  makePasswordLink: [null, 'link'],
};
