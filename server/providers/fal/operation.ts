/**
 * What we keep of a request at fal: the path its result has, from which the paths of its status and
 * its cancel follow. Kept whole, so that any process can go on, and without a host: our key goes to
 * the configured one only, whatever an answer names.
 */
import { asRecord, asUrl } from '../toolkit/response-values.ts';

const pathPattern = /^\w[\w.-]*(\/\w[\w.-]*){1,5}\/requests\/[\w-]{1,100}(\/response)?$/;
const idPattern = /^[\w-]{1,100}$/;

/** An answer to a submit; undefined when it names no request. */
export function operationFrom(
  json: unknown,
  { baseUrl, app }: { readonly baseUrl: string; readonly app: string },
): string | undefined {
  const body = asRecord(json);
  const id = requestIdOf(body?.request_id);
  if (!id) return undefined;
  const responsePath = pathOnHost(body?.response_url, baseUrl);
  return responsePath?.includes(id) ? responsePath : `${app}/requests/${id}`;
}

export const requestIdOf = (value: unknown): string | undefined =>
  typeof value === 'string' && idPattern.test(value) ? value : undefined;

/** Without what leads to the host; undefined where it leads to another. */
function pathOnHost(value: unknown, baseUrl: string): string | undefined {
  const url = asUrl(value);
  const base = `${baseUrl.replace(/\/+$/, '')}/`;
  if (!url || !new URL(url).href.startsWith(new URL(base).href)) return undefined;
  const path = new URL(url).href.slice(new URL(base).href.length);
  return pathPattern.test(path) ? path : undefined;
}

export type Paths = {
  readonly status: string;
  readonly response: string;
  readonly cancel: string;
};

/** A callback names a request without its app: then it is the one that the task was sent to. */
export function pathsOf(operation: string, app: string): Paths | undefined {
  const response = idPattern.test(operation) ? `${app}/requests/${operation}` : operation;
  if (!pathPattern.test(response)) return undefined;
  const request = response.replace(/\/response$/, '');
  return {
    status: `/${request}/status?logs=0`,
    response: `/${response}`,
    cancel: `/${request}/cancel`,
  };
}
