/**
 * Serves a real, tiny MP4 and its last frame on 127.0.0.1, as an upstream's signed addresses do: no
 * Authorization header may come along, and an address dies after so many downloads.
 */
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** 320x180, one second of H.264 at 24 frames with a quiet AAC tone. */
export const resultVideoPath = new URL('./fixtures/result.mp4', import.meta.url);
export const resultFramePath = new URL('./fixtures/last-frame.jpg', import.meta.url);

export type ResultServer = {
  readonly videoUrl: (name: string) => string;
  readonly frameUrl: (name: string) => string;
  /** Downloads of one address that were answered with the file. */
  readonly downloads: (url: string) => number;
  /** From now on every address answers 403, as after its 24 hours. */
  readonly expireAll: () => void;
  readonly close: () => Promise<void>;
};

export async function startResultServer(options: { getsMax?: number } = {}): Promise<ResultServer> {
  const getsMax = options.getsMax ?? 100;
  const files = {
    '.mp4': { type: 'video/mp4', bytes: await readFile(resultVideoPath) },
    '.jpeg': { type: 'image/jpeg', bytes: await readFile(resultFramePath) },
  };
  const gets = new Map<string, number>();
  let expired = false;

  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const path = new URL(request.url ?? '/', 'http://127.0.0.1').pathname;
    const extension = /^\/[\w-]+(\.mp4|\.jpeg)$/.exec(path)?.[1] as keyof typeof files | undefined;
    if (!extension || request.method !== 'GET') return void response.writeHead(404).end();
    const before = gets.get(path) ?? 0;
    if (expired || before >= getsMax || request.headers.authorization !== undefined) {
      return void response.writeHead(403, { 'content-type': 'application/xml' }).end('<Error/>');
    }
    gets.set(path, before + 1);
    const { type, bytes } = files[extension];
    response.writeHead(200, { 'content-type': type, 'content-length': bytes.length }).end(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const signature = 'X-Tos-Expires=86400&X-Tos-Signature=abc';

  return {
    videoUrl: (name) => `${origin}/${name}.mp4?${signature}`,
    frameUrl: (name) => `${origin}/${name}.jpeg?${signature}`,
    downloads: (url) => gets.get(new URL(url).pathname) ?? 0,
    expireAll: () => {
      expired = true;
    },
    close: () => closeServer(server),
  };
}

/** Ends a server and its connections; once is enough, twice does no harm. */
export async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return;
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
