/**
 * Sends a request as it is given, header for header, over connections that are kept; and writes it
 * down as a line of curl, so that whoever reads of a failure can repeat it.
 */
import { Agent, type IncomingHttpHeaders, request } from 'node:http';

export type Wire = {
  readonly method: string;
  readonly path: string;
  /** In this order, and as often as they are here. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer | null;
  /** In chunks, without a length told before. */
  readonly isChunked?: boolean;
};

export type WireAnswer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
};

const curlCharactersMax = 3000;

export class Sender {
  readonly url: string;
  readonly #agent = new Agent({ keepAlive: true });

  constructor(url: string) {
    this.url = url;
  }

  async send(wire: Wire): Promise<WireAnswer> {
    try {
      return await this.#ask(wire);
    } catch (error) {
      // The service may have hung up on a connection that we kept: nothing of this was read.
      if ((error as { isStale?: boolean }).isStale) return await this.#ask(wire);
      throw error;
    }
  }

  #ask({ method, path, headers, body, isChunked }: Wire): Promise<WireAnswer> {
    const { hostname, port, host } = new URL(this.url);
    const length: [string, string][] = isChunked
      ? [['transfer-encoding', 'chunked']]
      : body
        ? [['content-length', String(body.length)]]
        : [];
    return new Promise((resolve, reject) => {
      const asked = request(
        {
          agent: this.#agent,
          hostname,
          port,
          method,
          path,
          headers: [['host', host], ...headers, ...length].flat(),
        },
        (answer) => {
          const chunks: Buffer[] = [];
          answer.on('data', (chunk) => chunks.push(chunk));
          answer.on('error', reject);
          answer.on('end', () =>
            resolve({
              status: answer.statusCode ?? 0,
              headers: answer.headers,
              body: Buffer.concat(chunks),
            }),
          );
        },
      );
      asked.on('error', (error) => {
        const isStale = asked.reusedSocket && (error as { code?: string }).code === 'ECONNRESET';
        reject(Object.assign(error, { isStale }));
      });
      asked.end(body ?? undefined);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

export function curlOf(url: string, { method, path, headers, body, isChunked }: Wire): string {
  const parts = [
    `curl -isS -X ${method} ${quoted(`${url}${path}`)}`,
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(isChunked ? [`-H 'transfer-encoding: chunked'`] : []),
    ...(body ? [`--data-binary ${quoted(body.toString())}`] : []),
  ];
  const line = parts.join(' ');
  if (line.length <= curlCharactersMax) return line;
  return `${line.slice(0, curlCharactersMax)}… (${line.length} characters)`;
}

/** For a shell: as it is where it can be, in `$'…'` where there is something to escape. */
function quoted(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text) && !text.includes("'")) return `'${text}'`;
  const inside = text.replace(/[^\x20-\x7e]|['\\]/gu, (character) => {
    if (character === "'" || character === '\\') return `\\${character}`;
    return [...Buffer.from(character)]
      .map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`)
      .join('');
  });
  return `$'${inside}'`;
}
