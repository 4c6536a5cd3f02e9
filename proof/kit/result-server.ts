/**
 * Serves a small real MP4 and its last frame on 127.0.0.1, like an upstream's signed URLs: a
 * request with an Authorization header gets 403.
 */
import { readFile } from 'node:fs/promises';
import { startLocalServer } from './local-server.ts';

/** 320x180, one second of H.264 at 24 frames with a quiet AAC tone. */
export const resultVideoPath = new URL('./fixtures/result.mp4', import.meta.url);
export const resultFramePath = new URL('./fixtures/last-frame.jpg', import.meta.url);

export type ResultServer = Awaited<ReturnType<typeof startResultServer>>;

export async function startResultServer() {
  const files = {
    '.mp4': { type: 'video/mp4', bytes: await readFile(resultVideoPath) },
    '.jpeg': { type: 'image/jpeg', bytes: await readFile(resultFramePath) },
  };
  const { origin, close } = await startLocalServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://127.0.0.1').pathname;
    const extension = /^\/[\w-]+(\.mp4|\.jpeg)$/.exec(path)?.[1] as keyof typeof files | undefined;
    if (!extension || request.method !== 'GET') return void response.writeHead(404).end();
    if (request.headers.authorization !== undefined) {
      return void response.writeHead(403, { 'content-type': 'application/xml' }).end('<Error/>');
    }
    const { type, bytes } = files[extension];
    response.writeHead(200, { 'content-type': type, 'content-length': bytes.length }).end(bytes);
  });
  const signature = 'X-Tos-Expires=86400&X-Tos-Signature=abc';
  return {
    videoUrl: (name: string) => `${origin}/${name}.mp4?${signature}`,
    frameUrl: (name: string) => `${origin}/${name}.jpeg?${signature}`,
    close,
  };
}
