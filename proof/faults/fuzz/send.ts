/** Sends requests with exact headers over kept connections. */
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
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

export class Sender {
  readonly #url: URL;
  readonly #agent = new Agent({ keepAlive: true });

  constructor(url: string) {
    this.#url = new URL(url);
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

  async #sendOnce({ method, path, headers, body, isChunked }: WireRequest): Promise<WireResponse> {
    const { hostname, port, host } = this.#url;
    const framing = isChunked
      ? ['transfer-encoding', 'chunked']
      : ['content-length', String(body?.length ?? 0)];
    const sentHeaders = [['host', host], ...headers, ...(body ? [framing] : [])].flat();
    const options = { agent: this.#agent, hostname, port, method, path, headers: sentHeaders };
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = request(options, resolve);
      sent.on('error', (error: NodeJS.ErrnoException) => {
        const isStale = sent.reusedSocket && error.code === 'ECONNRESET';
        reject(Object.assign(error, { isStale }));
      });
      sent.end(body ?? undefined);
    });
    const status = response.statusCode ?? 0;
    return { status, headers: response.headers, body: await buffer(response) };
  }

  close(): void {
    this.#agent.destroy();
  }
}
