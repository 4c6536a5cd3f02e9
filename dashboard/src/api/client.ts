/**
 * The one place that asks the service. Every answer is the contract's, every trouble an `ApiError`;
 * where the service wants the password again, the person is asked and the request made once more.
 */
import type { ErrorAnswer } from '@vidgen/contract/error-answer.ts';
import { ApiError } from './api-error.ts';
import { servicePath } from './base-path.ts';
import { noteServiceDate } from './service-clock.ts';

export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** What the client needs of people, set by the shell. */
export type Callbacks = {
  /** The session has ended, or there was none. */
  onSignedOut(): void;
  /** Asks for the password; false when the person would rather not. */
  confirmPassword(): Promise<boolean>;
};

const callbacks: Callbacks = {
  onSignedOut: () => {},
  confirmPassword: async () => false,
};

export function connectClient(given: Partial<Callbacks>): void {
  Object.assign(callbacks, given);
}

/** The service no longer knows who is asking. */
export function endSession(): void {
  callbacks.onSignedOut();
}

export async function get<Answer>(path: string, query: Query = {}): Promise<Answer> {
  return await ask<Answer>(addressOf(path, query), { method: 'GET' });
}

export async function post<Answer>(
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const json = body === undefined ? {} : { body: JSON.stringify(body) };
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  return await ask<Answer>(addressOf(path), {
    method: 'POST',
    headers: { ...type, ...headers },
    ...json,
  });
}

export async function del(path: string): Promise<void> {
  await ask<unknown>(addressOf(path), { method: 'DELETE' });
}

/** The address of an endpoint, for links and media: values that are not given are left out. */
export function addressOf(path: string, query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const words = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return `${servicePath}${path}${words.size > 0 ? `?${words}` : ''}`;
}

async function ask<Answer>(address: string, init: RequestInit): Promise<Answer> {
  let answer = await reach(address, init);
  if (answer.status === 403 && answer.headers.get('vidgen-confirm') === 'password') {
    if (await callbacks.confirmPassword()) answer = await reach(address, init);
  }
  if (answer.ok) return (await bodyOf(answer)) as Answer;
  const error = await errorOf(answer);
  // A wrong password at sign-in is no end of a session.
  if (answer.status === 401 && !isAboutSession(address)) endSession();
  throw error;
}

const isAboutSession = (address: string): boolean =>
  /^\/(session|links)(\/|$)/.test(address.slice(servicePath.length));

async function reach(address: string, init: RequestInit): Promise<Response> {
  try {
    const answer = await fetch(address, { ...init, credentials: 'same-origin' });
    noteServiceDate(answer.headers.get('date'));
    return answer;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    const message = 'The service could not be reached: check your connection and try again.';
    throw new ApiError({ code: 'unreachable', message }, { status: 0, requestId: null });
  }
}

async function bodyOf(answer: Response): Promise<unknown> {
  const isJson = answer.headers.get('content-type')?.startsWith('application/json');
  return isJson ? await answer.json() : undefined;
}

async function errorOf(answer: Response): Promise<ApiError> {
  const { status } = answer;
  const requestId = answer.headers.get('x-request-id');
  const body = (await bodyOf(answer).catch(() => undefined)) as ErrorAnswer | undefined;
  const message = `The service answered ${status} without saying why: try again in a moment.`;
  return new ApiError(body?.error ?? { code: 'internal_error', message }, { status, requestId });
}
