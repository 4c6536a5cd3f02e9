/**
 * A GPU box: an engine that forgets its videos when the process is killed, and `vidgen worker`.
 * Writes the prompt of each create to a file, which outlives it.
 */
import { randomUUID } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { Tunnel } from '../../../cli/tunnel.mjs';
import { resultVideoPath } from '../../kit/result-server.ts';

const [name = '', url = '', token = '', createsFile = ''] = process.argv.slice(2);
const result = readFileSync(resultVideoPath);
const videos = new Map<string, number>();
const renderMs = { min: 500, more: 3_000 };

const viewOf = (id: string, doneAt: number) => ({
  id,
  object: 'video',
  model: 'wan',
  created_at: 1,
  seconds: '5',
  size: '832x480',
  status: Date.now() < doneAt ? 'in_progress' : 'completed',
});

const engine = createServer((request, response) => {
  const [, id = '', isContent] = /^\/v1\/videos\/([^/]+)(\/content)?$/.exec(request.url!) ?? [];
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const send = (status: number, body: unknown) =>
      void response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(JSON.stringify(body));
    if (request.method === 'POST') {
      const created = `video_${randomUUID()}`;
      const prompt = /prompt number \d+/.exec(Buffer.concat(chunks).toString())?.[0];
      appendFileSync(createsFile, `${prompt}\n`);
      videos.set(created, Date.now() + renderMs.min + Math.random() * renderMs.more);
      return send(200, viewOf(created, videos.get(created)!));
    }
    const doneAt = videos.get(id);
    if (doneAt === undefined) {
      return send(404, { error: { code: 'not_found', message: 'No video with this id' } });
    }
    if (!isContent) return send(200, viewOf(id, doneAt));
    response.writeHead(200, { 'content-type': 'video/mp4' }).end(result);
  });
});
engine.listen(0, '127.0.0.1', () => {
  const { port } = engine.address() as { port: number };
  const address = new URL(`http://127.0.0.1:${port}`);
  new Tunnel({ name, token, kind: 'openai-videos', slots: 2, urls: [url], engine: address });
});
