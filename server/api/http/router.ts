/** Finds the endpoint of a request by method and path. */
import findMyWay from 'find-my-way';
import type { Endpoint } from './endpoint-definition.ts';

export type FoundRoute = {
  readonly endpoint: Endpoint;
  /** By the names in the path, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** A name that is given several times has an array. */
  readonly query: Readonly<Record<string, unknown>>;
};

/** Returns null for an unknown path or method, and for a URL that cannot be decoded. */
export function createRouter(
  endpoints: readonly Endpoint[],
  { paramBytesMax }: { readonly paramBytesMax: number },
): (method: string, url: string) => FoundRoute | null {
  // An id of any length is looked up, and not found; the limit of all headers bounds it.
  const router = findMyWay({ maxParamLength: paramBytesMax });
  const handler = () => {};
  for (const endpoint of endpoints) {
    router.on(endpoint.method, endpoint.path, handler, endpoint);
    if (endpoint.allowsHead) router.on('HEAD', endpoint.path, handler, endpoint);
  }
  const ownPaths = new Set(
    endpoints.flatMap(({ path, formatError }) => (path.includes(':') || formatError ? [] : path)),
  );
  return (method, url) => {
    const found = router.find(method as findMyWay.HTTPMethod, url);
    if (!found?.store) return null;
    // `GET /v1/videos/generations` is an unknown method of create, and no video with that ID.
    const endpoint = found.store as Endpoint;
    if (endpoint.path.includes(':') && ownPaths.has(url.split('?', 1)[0]!)) return null;
    const { params, searchParams: query } = found;
    return { endpoint, params: params as Record<string, string>, query };
  };
}
