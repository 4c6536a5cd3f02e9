/**
 * The operation of a fal request: the path of its result, from which the paths of status and
 * cancel follow. It has no host, so the API key is only sent to the configured one, whatever URL a
 * response contains.
 */
import { asOperation, asRecord, asUrl } from '../toolkit/response-values.ts';

// Today's ids are UUIDs. Any printable id is read, because a request whose id is not read is paid
// for and never delivered. Escaped, one character takes up to twelve.
const id = String.raw`(?!(?:\.|%2[eE]){1,2}(?:\/|$))[\w.~:=+@!*'()%-]{1,12288}`;
const pathPattern = new RegExp(
  String.raw`^\w[\w.-]*(\/\w[\w.-]*){1,5}\/requests\/${id}(\/response)?$`,
);
const idPattern = new RegExp(`^${id}$`);

/** Reads the response to a submit; undefined when it has no request id. */
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

/** Escaped as a part of a path. */
export const requestIdOf = (value: unknown): string | undefined =>
  asOperation(value)?.replace(/[^\w.~:=+@-]/gu, encodeURIComponent);

/** Returns the path below the base URL; undefined for any other host. */
function pathOnHost(value: unknown, baseUrl: string): string | undefined {
  const url = asUrl(value);
  const base = `${baseUrl.replace(/\/{1,9}$/, '')}/`;
  if (!url || !new URL(url).href.startsWith(new URL(base).href)) return undefined;
  const path = new URL(url).href.slice(new URL(base).href.length);
  return pathPattern.test(path) ? path : undefined;
}

export type FalPaths = NonNullable<ReturnType<typeof pathsOf>>;

/** A callback contains the request id alone; then `app` is the one the task was sent to. */
export function pathsOf(operation: string, app: string) {
  const response = idPattern.test(operation) ? `${app}/requests/${operation}` : operation;
  if (!pathPattern.test(response)) return undefined;
  const request = response.replace(/\/response$/, '');
  return {
    status: `/${request}/status?logs=0`,
    response: `/${response}`,
    cancel: `/${request}/cancel`,
  };
}
