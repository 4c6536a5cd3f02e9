/** Sends requests with exact headers. */
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';

export type WireRequest = {
  readonly method: string;
  readonly path: string;
  /** In this order, with duplicates. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer | null;
  /** Chunked, without a content length. */
  readonly isChunked?: boolean;
};

export type WireResponse = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
};

export async function send(url: string, wireRequest: WireRequest): Promise<WireResponse> {
  const { method, path, headers, body, isChunked } = wireRequest;
  const { hostname, port, host } = new URL(url);
  const framing = isChunked
    ? ['transfer-encoding', 'chunked']
    : ['content-length', String(body?.length ?? 0)];
  const sentHeaders = [['host', host], ...headers, ...(body ? [framing] : [])].flat();
  const options = { agent: false, hostname, port, method, path, headers: sentHeaders };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(options, resolve)
      .on('error', reject)
      .end(body ?? undefined);
  });
  const status = response.statusCode ?? 0;
  return { status, headers: response.headers, body: await buffer(response) };
}
