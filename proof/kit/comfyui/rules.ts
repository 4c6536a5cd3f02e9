/** A prompt, and ComfyUI's error responses. */
import { type FakeResponse, json } from '../fake-upstream.ts';

/** The response of aiohttp to a path without a route. */
export const noRoute: FakeResponse = {
  status: 404,
  body: '404: Not Found',
  headers: { 'content-type': 'text/plain; charset=utf-8' },
};

export type Graph = Record<string, { class_type: string; inputs: Record<string, unknown> }>;

export function errorResponse(
  type: string,
  message: string,
  details: string,
  nodeErrors: readonly (readonly [string, object])[] = [],
): FakeResponse {
  const error = { type, message, details, extra_info: {} };
  return json(400, { error, node_errors: Object.fromEntries(nodeErrors) });
}
