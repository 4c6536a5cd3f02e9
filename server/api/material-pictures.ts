/**
 * `GET /admin/tasks/:id/materials/images/:number`: a picture that a task refers to, for the people
 * of its account. Fetched through the guard each time and handed on as it is, if its first bytes
 * are those of a picture; nothing of it is parsed here, and nothing in it can act in a browser.
 */
import { Readable } from 'node:stream';
import type { Got } from '../egress/egress.ts';
import { formatBytes, uploadFormatOf } from '../materials/upload-format.ts';
import { Refusal } from '../refusal.ts';
import { contentTypeOf } from '../storage/storage.ts';
import { findTask } from './admin-tasks.ts';
import type { Answer, Asked, Service } from './service.ts';

const deadlineMs = 20_000;

type Answered = Extract<Got, { outcome: 'answered' }>;

export async function getMaterialPicture(service: Service, asked: Asked): Promise<Answer> {
  const { list, number } = asked.params;
  const task = await findTask(service, asked);
  const at = /^[1-9]\d{0,2}$/.test(number!) ? Number(number) - 1 : -1;
  const url = list === 'images' ? task.generation.imageUrls[at] : undefined;
  if (url === undefined) throw none('The task has no such picture.');
  const bytesMax = service.materialBytesMax.image;
  const signal = asked.gone();
  const { egress } = service.lifecycle;
  const got = await egress.get({ url, kind: 'material', deadlineMs, bytesMax, signal });
  if (got.outcome === 'failed') throw none('The picture could not be fetched.');
  try {
    return await pictureAnswer(got);
  } catch (error) {
    got.discard();
    throw error;
  }
}

async function pictureAnswer(got: Answered): Promise<Answer> {
  const encoding = got.headers['content-encoding'] ?? 'identity';
  if (got.status !== 200 || encoding !== 'identity') throw none('The picture is not there now.');
  const rest = got.stream[Symbol.asyncIterator]();
  const head = await readHead(rest);
  const format = uploadFormatOf(head, '');
  if (!('media' in format) || format.media !== 'image') {
    throw none('What is at its address is no picture.');
  }
  return {
    stream: Readable.from(joined(head, rest), { objectMode: false }),
    headers: {
      'content-type': contentTypeOf(format.extension)!,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'content-disposition': `inline; filename="material.${format.extension}"`,
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'private, max-age=3600',
    },
  };
}

/** As much as tells what it is, or everything where that is less. */
async function readHead(rest: AsyncIterator<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    while (bytes < formatBytes) {
      const { done, value } = await rest.next();
      if (done) break;
      chunks.push(value);
      bytes += value.length;
    }
  } catch {
    throw none('The picture broke off.');
  }
  return Buffer.concat(chunks);
}

async function* joined(
  head: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield head;
  yield* { [Symbol.asyncIterator]: () => rest };
}

const none = (message: string): Refusal => new Refusal('not_found', message);
