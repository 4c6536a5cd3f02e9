/**
 * The one place that asks the service. Every answer is the contract's, every trouble an `ApiError`;
 * where the service wants the password again, the person is asked and the request made once more.
 */
import type { ErrorResponse } from '@vidgen/contract/error-response.ts';
import { ApiError } from './api-error.ts';
import { servicePath } from './base-path.ts';
import { recordServiceDate } from './service-clock.ts';

export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** What the client needs of people, set by the shell. */
type Callbacks = {
  /** The session has ended, or there was none. */
  onSignedOut(): void;
  /** Asks for the password; false when the person would rather not. */
  confirmPassword(): Promise<boolean>;
};

const callbacks: Callbacks = {
  onSignedOut: () => {},
  confirmPassword: async () => false,
};

export function connectClient(overrides: Partial<Callbacks>): void {
  Object.assign(callbacks, overrides);
}

/** The service no longer knows who is asking. */
export function endSession(): void {
  callbacks.onSignedOut();
}

export async function get<ResponseBody>(path: string, query: Query = {}): Promise<ResponseBody> {
  return await request<ResponseBody>(buildUrl(path, query), { method: 'GET' });
}

export async function post<ResponseBody>(
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<ResponseBody> {
  const json = body === undefined ? {} : { body: JSON.stringify(body) };
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  return await request<ResponseBody>(buildUrl(path), {
    method: 'POST',
    headers: { ...type, ...headers },
    ...json,
  });
}

export async function del(path: string): Promise<void> {
  await request<unknown>(buildUrl(path), { method: 'DELETE' });
}

/** The address of an endpoint, for links and media: values that are not given are left out. */
export function buildUrl(path: string, query: Query = {}): string {
  const entries = Object.entries(query).filter(
    ([, value]) => value !== undefined && value !== null,
  );
  const params = new URLSearchParams(entries.map(([name, value]) => [name, String(value)]));
  return `${servicePath}${path}${params.size > 0 ? `?${params}` : ''}`;
}

async function request<ResponseBody>(url: string, init: RequestInit): Promise<ResponseBody> {
  let response = await send(url, init);
  if (response.status === 403 && response.headers.get('vidgen-confirm') === 'password') {
    if (await callbacks.confirmPassword()) response = await send(url, init);
  }
  if (response.ok) return (await readBody(response)) as ResponseBody;
  const error = await readError(response);
  // A wrong password at sign-in is no end of a session.
  if (response.status === 401 && !isSessionUrl(url)) endSession();
  throw error;
}

const isSessionUrl = (url: string): boolean =>
  /^\/(session|links)(\/|$)/.test(url.slice(servicePath.length));

async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    const response = await fetch(url, { ...init, credentials: 'same-origin' });
    recordServiceDate(response.headers.get('date'));
    return response;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    const message = 'The service could not be reached: check your connection and try again.';
    throw new ApiError({ code: 'unreachable', message }, { status: 0, requestId: null });
  }
}

async function readBody(response: Response): Promise<unknown> {
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return isJson ? await response.json() : undefined;
}

async function readError(response: Response): Promise<ApiError> {
  const { status } = response;
  const requestId = response.headers.get('x-request-id');
  const body = (await readBody(response).catch(() => undefined)) as ErrorResponse | undefined;
  const message = `The service answered ${status} without saying why: try again in a moment.`;
  return new ApiError(body?.error ?? { code: 'internal_error', message }, { status, requestId });
}
