/**
 * What requests are about, so that they get past the door: an account with keys, people of every
 * role, tasks, deliveries, links. It takes up what answers bring, and replaces who was signed out.
 */
import { type Guest, newAdministrator, newMember } from '../../kit/people.ts';
import { type Client, makeAccount, testAdminToken } from '../../kit/service.ts';
import type { WireAnswer } from './send.ts';

export const tokenAskers = [
  'nobody',
  'admin token',
  'API key',
  'test key',
  'key to cancel',
] as const;
export const people = [
  'viewer',
  'developer',
  'owner',
  'owner of another account',
  'administrator',
] as const;
export const askers = [...tokenAskers, ...people] as const;
export type AskerName = (typeof askers)[number];
type PersonName = (typeof people)[number];

/** The newest so many of a kind are kept. */
const poolMax = 40;
const spares = 2;
const credits = 900_000_000_000;
/** So that lists, cancels and deliveries have something to be about. */
const firstTasks = 3;

type Server = { readonly url: string; readonly admin: Client };
type Headers = readonly (readonly [string, string])[];

export class World {
  readonly #server: Server;
  readonly #pools = new Map<string, string[]>();
  readonly #tokens: Readonly<Partial<Record<AskerName, string>>>;
  readonly #cookies = new Map<AskerName, string>();
  readonly #accounts: { readonly own: string; readonly other: string };
  readonly #signedOut = new Set<PersonName>();

  private constructor(
    server: Server,
    parts: { tokens: World['tokens']; own: string; other: string },
  ) {
    this.#server = server;
    this.#tokens = parts.tokens;
    this.#accounts = { own: parts.own, other: parts.other };
  }

  get tokens(): Readonly<Partial<Record<AskerName, string>>> {
    return this.#tokens;
  }

  /** `callbackUrl`: where calls, materials and test calls may lead: this machine. */
  static async open(server: Server, { callbackUrl }: { callbackUrl: string }): Promise<World> {
    const { url, admin } = server;
    const own = await makeAccount(url, admin, { live: credits, test: credits });
    const other = await makeAccount(url, admin, { live: 5 });
    const keyOf = async (request: object) => {
      const { body } = await admin.post(`/admin/accounts/${own.id}/keys`, request);
      return { id: String(body.id), key: String(body.key) };
    };
    const world = new World(server, {
      own: own.id,
      other: other.id,
      tokens: {
        'admin token': testAdminToken,
        'API key': own.key,
        'test key': (await keyOf({ name: 'Test', mode: 'test' })).key,
        'key to cancel': (
          await keyOf({ name: 'Reader', mode: 'live', permissions: ['tasks:cancel'] })
        ).key,
      },
    });
    world.add('account', own.id);
    world.add('address', callbackUrl);
    world.add('password', 'a boat of folded paper');
    for (const name of ['overview', 'errors', 'webhooks']) world.add('guide', name);
    for (let nth = 0; nth < spares; nth++) {
      world.add('spareKey', (await keyOf({ name: 'Spare', mode: 'live' })).id);
      world.add('spareAccount', (await makeAccount(url, admin)).id);
      world.add('sparePerson', (await world.#member('viewer')).personId);
    }
    for (let nth = 0; nth < firstTasks; nth++) await world.#addTask(own.client, callbackUrl);
    for (const name of people) await world.#signIn(name);
    return world;
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

  /** As the asker says who is asking; people as their browser does. */
  headersOf(asker: AskerName): Headers {
    const token = this.#tokens[asker];
    if (token !== undefined) return [['authorization', `Bearer ${token}`]];
    const cookie = this.#cookies.get(asker);
    const page = ['sec-fetch-site', 'same-origin'] as const;
    return cookie === undefined ? [page] : [page, ['cookie', cookie]];
  }

  /** What an answer brought: other cookies, further ids. */
  learn(operationId: string, asker: AskerName, answer: WireAnswer): void {
    this.#learnCookie(operationId, asker, answer);
    if (answer.status >= 300 || !/json/.test(answer.headers['content-type'] ?? '')) return;
    if (answer.body.length > 500_000) return;
    const told = JSON.parse(answer.body.toString()) as Told;
    const [pool, linkPool] = poolsOf[operationId] ?? [];
    const ids = told.items ?? [told];
    if (pool) for (const { id } of ids) if (typeof id === 'string') this.add(pool, id);
    if (linkPool && told.link) this.add(linkPool, told.link.split('#')[1] ?? '');
    if (typeof told.taskId === 'string') this.add('task', told.taskId);
    if (operationId === 'useLink' && told.person) this.add('sparePerson', told.person.id);
    if (typeof told.next_cursor === 'string') this.add('cursor', told.next_cursor);
    if (operationId === 'createRedemptionCodes') {
      for (const { id, code } of told.items ?? []) {
        if (id) this.add('codeId', id);
        if (code) this.add('code', code);
      }
    }
    if (operationId === 'uploadFile' && told.url) {
      const { pathname, searchParams } = new URL(told.url);
      this.add('upload', pathname.split('/').at(-1)!);
      this.add('uploadQuery', String(searchParams));
    }
  }

  /** Whoever was signed out, or must give a password again, is somebody new from now on. */
  async heal(): Promise<void> {
    for (const name of this.#signedOut) {
      this.#signedOut.delete(name);
      await this.#signIn(name);
    }
  }

  #learnCookie(operationId: string, asker: AskerName, { status, headers }: WireAnswer): void {
    const name = people.find((one) => one === asker);
    if (!name) return;
    const pair = headers['set-cookie']?.[0]?.split(';')[0];
    if (pair !== undefined && !pair.endsWith('=')) this.#cookies.set(asker, pair);
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

  /** One of them is cancelled, so that there is a delivery. */
  async #addTask(client: Client, callbackUrl: string): Promise<void> {
    const input = { prompt: 'A paper boat', resolution: '480p', duration: 4 };
    const { body } = await client.create({
      model: 'vidgen-2-0-mini',
      callback_url: callbackUrl,
      input,
    });
    const taskId = String(body.taskId);
    this.add('task', taskId);
    if (this.#pools.has('delivery')) return;
    await client.post(`/v1/tasks/${taskId}/cancel`);
    const path = `/admin/accounts/${this.#accounts.own}/deliveries`;
    const { body: page } = await this.#server.admin.get(path);
    for (const { id } of page.items as { id: string }[]) this.add('delivery', id);
  }
}

type Told = {
  readonly id?: string;
  readonly items?: readonly { readonly id?: string; readonly code?: string }[];
  readonly link?: string;
  readonly person?: { readonly id: string };
  readonly url?: string;
  readonly taskId?: string;
  readonly next_cursor?: string | null;
};

/** Where the ids of an answer go, and where its link. */
const poolsOf: Readonly<Record<string, readonly [string | null, string?]>> = {
  createAccount: ['spareAccount'],
  mintKey: ['spareKey'],
  listSessions: ['session'],
  inviteMember: ['invitation', 'link'],
  inviteAdministrator: [null, 'link'],
  makePasswordLink: [null, 'link'],
};
