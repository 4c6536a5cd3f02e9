/**
 * Sends requests to the service, and has the query cache of the dashboard. Failures are thrown as
 * `ApiError`. When an endpoint requires that the person has confirmed the session recently, the
 * client asks for it and repeats the request once.
 */

import { QueryClient, queryOptions } from '@tanstack/react-query';
import type { ErrorResponse } from '@vidgen/contract/error-response.ts';
import { ApiError } from './api-error.ts';
import { servicePath } from './base-path.ts';
import { isGatewayError, reportReachable, reportUnreachable } from './connection.ts';
import { recordServiceDate } from './service-clock.ts';

export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** How a session is confirmed: with the password, or by signing in at the OpenID provider again. */
export type ConfirmMethod = 'password' | 'openid';

/** Set by the shell, which has the router and the dialogs. */
const callbacks = {
  /** Called when a response says that there is no session. */
  onSignedOut: () => {},
  /** Asks for a confirmation. Resolves to false when the person closes the dialog. */
  confirmSession: async (_method: ConfirmMethod): Promise<boolean> => false,
};

export function connectClient(overrides: Partial<typeof callbacks>): void {
  Object.assign(callbacks, overrides);
}

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

/** The confirmation of the session repeats it, so `file` is read again. */
export async function postFile<ResponseBody>(
  path: string,
  query: Query,
  file: File,
): Promise<ResponseBody> {
  const headers = { 'content-type': file.type || 'application/octet-stream' };
  return await request(buildUrl(path, query), { method: 'POST', headers, body: file });
}

export async function patch(path: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  await request<unknown>(buildUrl(path), { method: 'PATCH', headers, body: JSON.stringify(body) });
}

export async function del(path: string): Promise<void> {
  await request<unknown>(buildUrl(path), { method: 'DELETE' });
}

/**
 * Returns the URL of an endpoint, for links and media. Leaves out null and undefined parameters.
 */
export function buildUrl(path: string, query: Query = {}): string {
  const entries = Object.entries(query).filter(
    ([, value]) => value !== undefined && value !== null,
  );
  const params = new URLSearchParams(entries.map(([name, value]) => [name, String(value)]));
  return `${servicePath}${path}${params.size > 0 ? `?${params}` : ''}`;
}

async function request<ResponseBody>(url: string, init: RequestInit): Promise<ResponseBody> {
  let response = await send(url, init);
  const method = response.status === 403 ? response.headers.get('vidgen-confirm') : null;
  if (method !== null) {
    const isConfirmed = await callbacks.confirmSession(method === 'openid' ? 'openid' : 'password');
    if (isConfirmed) response = await send(url, init);
  }
  if (response.ok) return (await readBody(response)) as ResponseBody;
  const error = await readError(response);
  // A wrong password at sign-in does not end a session.
  if (response.status === 401 && !isSessionUrl(url)) endSession();
  throw error;
}

const isSessionUrl = (url: string): boolean =>
  /^\/(session|links)(\/|$)/.test(url.slice(servicePath.length));

async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    const response = await fetch(url, { ...init, credentials: 'same-origin' });
    recordServiceDate(response.headers.get('date'));
    if (isGatewayError(response)) reportUnreachable();
    else reportReachable();
    return response;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    reportUnreachable();
    const message = 'Can’t reach the server. Check your connection and try again.';
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
  const message = `Unexpected response (HTTP ${status}). Try again in a moment.`;
  return new ApiError(body?.error ?? { code: 'internal_error', message }, { status, requestId });
}

const staleTimeMs = 5_000;
const retriesMax = 2;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: staleTimeMs,
      // A 4xx response would be the same again; network and server errors may be temporary.
      retry: (count, error) =>
        count < retriesMax &&
        error instanceof ApiError &&
        (error.status === 0 || error.status >= 500),
    },
    mutations: { retry: false },
  },
});

/** The key of a query is the path it loads: that of an account covers everything of the account. */
export const pathKey = (path: string): string[] => path.split('/').slice(1);

/** A query of what the service returns for a path. */
export const resource = <Data>(path: string, query: Query = {}) =>
  queryOptions({
    queryKey: [...pathKey(path), query],
    queryFn: () => get<Data>(path, query),
  });

/** One that is loaded again at an interval. */
export const polled = <Data>(path: string, refetchInterval: number, query: Query = {}) => ({
  ...resource<Data>(path, query),
  refetchInterval,
});

/** Loads everything again that is at these paths and below them. */
export async function invalidate(...paths: readonly string[]): Promise<void> {
  await Promise.all(
    paths.map((path) => queryClient.invalidateQueries({ queryKey: pathKey(path) })),
  );
}

/**
 * Removes everything of the person who was signed in. What the sign-in page shows stays: it may be
 * loading already.
 */
export function clearPersonalData(): void {
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[1] !== 'methods' });
  queryClient.getMutationCache().clear();
}
