/** Sends requests with exact headers over kept connections. */
import { Agent, type IncomingHttpHeaders, request } from 'node:http';

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

const charactersMax = 3000;

export class Sender {
  readonly url: string;
  readonly #agent = new Agent({ keepAlive: true });

  constructor(url: string) {
    this.url = url;
  }

  async send(wireRequest: WireRequest): Promise<WireResponse> {
    try {
      return await this.#sendOnce(wireRequest);
    } catch (error) {
      // The service may have closed a kept connection before it read the request.
      if ((error as { isStale?: boolean }).isStale) return await this.#sendOnce(wireRequest);
      throw error;
    }
  }

  #sendOnce({ method, path, headers, body, isChunked }: WireRequest): Promise<WireResponse> {
    const { hostname, port, host } = new URL(this.url);
    const length: [string, string][] = isChunked
      ? [['transfer-encoding', 'chunked']]
      : body
        ? [['content-length', String(body.length)]]
        : [];
    return new Promise((resolve, reject) => {
      const clientRequest = request(
        {
          agent: this.#agent,
          hostname,
          port,
          method,
          path,
          headers: [['host', host], ...headers, ...length].flat(),
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              body: Buffer.concat(chunks),
            }),
          );
        },
      );
      clientRequest.on('error', (error) => {
        const isStale =
          clientRequest.reusedSocket && (error as { code?: string }).code === 'ECONNRESET';
        reject(Object.assign(error, { isStale }));
      });
      clientRequest.end(body ?? undefined);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** The request for a report, cut off where it is long. */
export function describeRequest({ body, ...request }: WireRequest): string {
  const text = JSON.stringify({ ...request, body: body?.toString() });
  return text.length <= charactersMax ? text : `${text.slice(0, charactersMax)}…`;
}
