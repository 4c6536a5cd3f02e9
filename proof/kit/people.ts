/** People for tests: made in the database, or in a browser that keeps its cookie. */
import assert from 'node:assert/strict';
import type { AccountRole, SessionAnswer } from '@vidgen/contract/people.ts';
import { createPerson, type Person } from '../../server/accounts/person.ts';
import type { Database } from '../../server/database/database.ts';
import type { HttpAnswer, TestService } from './service.ts';

let people = 0;

/** Somebody who cannot sign in: the hash is nobody's. */
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

export type Browser = {
  /** Null: nobody is signed in. */
  cookie(): string | null;
  send(method: string, path: string, body?: unknown, headers?: Headers): Promise<HttpAnswer>;
  get(path: string): Promise<HttpAnswer>;
  post(path: string, body?: unknown): Promise<HttpAnswer>;
};

/** Keeps the cookie it is given, and says as browsers do that its own page asks. */
export function openBrowser(url: string): Browser {
  let cookie: string | null = null;
  const send: Browser['send'] = async (method, path, body, headers = {}) => {
    const isBytes = body instanceof Uint8Array;
    const type = isBytes ? 'application/octet-stream' : 'application/json';
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: {
        'sec-fetch-site': 'same-origin',
        ...(cookie === null ? {} : { cookie }),
        ...(body === undefined ? {} : { 'content-type': type }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isBytes ? Buffer.from(body) : JSON.stringify(body) }),
    });
    const [given] = answer.headers.getSetCookie();
    if (given !== undefined) {
      const pair = given.split(';')[0]!;
      cookie = pair.endsWith('=') ? null : pair;
    }
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.startsWith('application/json');
    const { status, headers: told } = answer;
    return { status, headers: told, body: isJson ? JSON.parse(text) : { text } };
  };
  return {
    send,
    cookie: () => cookie,
    get: (path) => send('GET', path),
    post: (path, body) => send('POST', path, body),
  };
}

export type Guest = Browser & {
  readonly personId: string;
  readonly email: string;
  readonly password: string;
};

export const testPassword = 'a boat of folded paper';

/** Somebody new who follows a link: `…/dashboard/join#token`. */
export async function followLink(
  url: string,
  link: string,
  called: { readonly name?: string; readonly email?: string } = {},
): Promise<Guest> {
  const browser = openBrowser(url);
  people++;
  const { name = `Guest ${people}`, email = `guest-${people}@example.com` } = called;
  const { status, body } = await browser.post('/links/use', {
    token: link.split('#')[1],
    name,
    email,
    password: testPassword,
  });
  assert.equal(status, 201, JSON.stringify(body));
  const { person } = body as unknown as SessionAnswer;
  return { ...browser, personId: person.id, email, password: testPassword };
}

export async function newMember(
  { url, admin }: Pick<TestService, 'url' | 'admin'>,
  { accountId, role }: { accountId: string; role: AccountRole },
): Promise<Guest> {
  const { status, body } = await admin.post(`/admin/accounts/${accountId}/invitations`, { role });
  assert.equal(status, 201, JSON.stringify(body));
  return await followLink(url, body.link as string);
}

export async function newAdministrator({
  url,
  admin,
}: Pick<TestService, 'url' | 'admin'>): Promise<Guest> {
  const { status, body } = await admin.post('/admin/invitations', {});
  assert.equal(status, 201, JSON.stringify(body));
  return await followLink(url, body.link as string);
}
