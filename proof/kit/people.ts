/** People for tests: rows in the database, or sessions that keep their cookie. */
import assert from 'node:assert/strict';
import type { AccountRole, SessionResponse } from '@vidgen/contract/people.ts';
import { createPerson, type Person } from '../../server/accounts/people/person.ts';
import type { Database } from '../../server/database/database.ts';
import type { Client, HttpResponse, TestService } from './service.ts';

let people = 0;

/** A person who cannot sign in: no password matches the hash. */
export async function seedPerson(
  db: Database,
  changes: { email?: string; name?: string; administrator?: boolean } = {},
): Promise<Person> {
  const passwordHash = '$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHRzYWx0c2FsdA$dGFn';
  const email = `person-${++people}@example.com`;
  const request = { email, name: 'Test', administrator: false, passwordHash, ...changes };
  return await db.transaction((tx) => createPerson(tx, request));
}

type Headers = Readonly<Record<string, string>>;

export type BrowserSession = ReturnType<typeof openBrowserSession>;

/** Keeps its cookie, and sends `sec-fetch-site: same-origin` as a browser does. */
export function openBrowserSession(url: string) {
  let cookie: string | null = null;
  const send = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Headers = {},
  ): Promise<HttpResponse> => {
    const isBytes = body instanceof Uint8Array;
    const type = isBytes ? 'application/octet-stream' : 'application/json';
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        'sec-fetch-site': 'same-origin',
        ...(cookie === null ? {} : { cookie }),
        ...(body === undefined ? {} : { 'content-type': type }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isBytes ? Buffer.from(body) : JSON.stringify(body) }),
    });
    const [setCookie] = response.headers.getSetCookie();
    if (setCookie !== undefined) {
      const pair = setCookie.split(';')[0]!;
      cookie = pair.endsWith('=') ? null : pair;
    }
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    const { status, headers: responseHeaders } = response;
    return { status, headers: responseHeaders, body: isJson ? JSON.parse(text) : { text } };
  };
  return {
    send,
    cookie: (): string | null => cookie,
    get: (path: string) => send('GET', path),
    post: (path: string, body?: unknown) => send('POST', path, body),
  };
}

export type Guest = BrowserSession & {
  readonly personId: string;
  readonly email: string;
  readonly password: string;
};

export const testPassword = 'a boat of folded paper';

/** A new person who accepts a link: `…/dashboard/join#token`. */
export async function followLink(
  url: string,
  link: string,
  profile: { readonly name?: string; readonly email?: string } = {},
): Promise<Guest> {
  const browser = openBrowserSession(url);
  people++;
  const { name = `Guest ${people}`, email = `guest-${people}@example.com` } = profile;
  const { status, body } = await browser.post('/links/use', {
    token: link.split('#')[1],
    name,
    email,
    password: testPassword,
  });
  assert.equal(status, 201, JSON.stringify(body));
  const { person } = body as unknown as SessionResponse;
  return { ...browser, personId: person.id, email, password: testPassword };
}

export async function newLink(
  { post }: Pick<Client, 'post'>,
  path: string,
  request?: object,
): Promise<string> {
  const { status, body } = await post(path, request);
  assert.equal(status, 201, JSON.stringify(body));
  return String(body.link).split('#')[1]!;
}

type Service = Pick<TestService, 'url' | 'admin'>;

export async function newMember(
  { url, admin }: Service,
  { accountId, role }: { accountId: string; role: AccountRole },
): Promise<Guest> {
  const path = `/admin/accounts/${accountId}/invitations`;
  return await followLink(url, `#${await newLink(admin, path, { role })}`);
}

export const newAdministrator = async ({ url, admin }: Service): Promise<Guest> =>
  await followLink(url, `#${await newLink(admin, '/admin/invitations', {})}`);

/** Lets a block after the fifth attempt last, however slow the machine is. Fails without one. */
export async function extendBlocks(db: Database): Promise<void> {
  const { rowCount } = await db.query(
    `update sign_in_troubles set blocked_until = blocked_until + interval '30 seconds'
     where tries >= 5 and blocked_until > last_try_at`,
  );
  assert(rowCount > 0, 'nobody is blocked');
}
