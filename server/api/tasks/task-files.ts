/**
 * Returns a file that a task refers to. It is fetched through the egress guard each time and passed
 * on unparsed if its first bytes are those of its kind, with headers that make it inert.
 */

import { Readable } from 'node:stream';
import { notFound } from '@vidgen/contract/api-error.ts';
import { z } from 'zod';
import type { GetResult } from '../../egress/egress.ts';
import { formatBytes, uploadFormatOf } from '../../materials/file-type.ts';
import { contentTypeOf } from '../../storage/storage.ts';
import { endpoint } from '../http/endpoint.ts';
import { enforceCallerLimit } from '../http/enforce-rate-limit.ts';
import type { ApiResponse } from '../http/handler.ts';
import { findTask } from './task-view.ts';

const deadlineMs = 20_000;
/** Videos are loaded on request, as a whole, and are far larger. */
const videoDeadlineMs = 120_000;
const videoWindow = { name: 'videos', requests: 'videos and audio files', perMinute: 20 };

export const getMaterialImage = endpoint({
  operationId: 'getMaterialPicture',
  method: 'GET',
  path: '/admin/tasks/:id/materials/:list/:number',
  summary: 'Get a file of a task',
  description:
    'Fetches the file from its URL on each request, and returns it only if it is of the kind ' +
    'that its list says. At most 20 videos and audio files per minute and person.',
  auth: 'member',
  role: 'viewer',
  // Each is fetched from a server of others. A page of a task shows up to fifty.
  sessionLimit: { purpose: 'image', perMinute: 240 },
  params: z.object({
    id: z.string().describe('The task.'),
    list: z.enum(['images', 'videos', 'audios']),
    number: z.string().describe('Its place in the list, such as `image_urls`, from 1.'),
  }),
  responses: { 200: { description: 'The file.', contentType: 'image/png' } },
  errors: { not_found: 'The image could not be fetched.', rate_limited: true },
  async handler(services, request) {
    const { list, number } = request.params;
    const { generation } = await findTask(services, request);
    const lists = {
      images: { urls: generation.imageUrls, media: 'image' },
      videos: { urls: generation.videoUrls, media: 'video' },
      audios: { urls: generation.audioUrls, media: 'audio' },
    } as const;
    if (!Object.hasOwn(lists, list!)) throw notFound('The task has no such list of files.');
    const { urls, media } = lists[list as keyof typeof lists];
    const index = /^[1-9]\d{0,2}$/.test(number!) ? Number(number) - 1 : -1;
    const url = urls[index];
    if (url === undefined) throw notFound(`The task has no such ${media}.`);
    if (media !== 'image' && request.person) {
      enforceCallerLimit(services, request.person.id, videoWindow);
    }
    const fetched = await services.lifecycle.egress.get({
      url,
      kind: 'material',
      bytesMax: services.materialBytesMax[media],
      deadlineMs: media === 'image' ? deadlineMs : videoDeadlineMs,
      signal: request.abortSignal(),
    });
    if (fetched.outcome === 'failed') throw notFound(`The ${media} could not be fetched.`);
    try {
      return await fileResponse(fetched, media);
    } catch (error) {
      fetched.discard();
      throw error;
    }
  },
});

async function fileResponse(
  fetched: Extract<GetResult, { outcome: 'response' }>,
  media: 'image' | 'video' | 'audio',
): Promise<ApiResponse> {
  const encoding = fetched.headers['content-encoding'] ?? 'identity';
  if (fetched.status !== 200 || encoding !== 'identity')
    throw notFound(`The ${media} is not available.`);
  const rest = fetched.stream[Symbol.asyncIterator]();
  const head = await readHead(rest);
  const format = uploadFormatOf(head, '');
  if (!('media' in format) || format.media !== media) {
    throw notFound(`The URL does not return ${media === 'video' ? 'a' : 'an'} ${media}.`);
  }
  return {
    stream: Readable.from(concatChunks(head, rest), { objectMode: false }),
    headers: {
      'content-type': contentTypeOf(format.extension)!,
      'content-security-policy': "default-src 'none'; sandbox",
      'content-disposition': `inline; filename="material.${format.extension}"`,
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'private, max-age=3600',
    },
  };
}

/** Reads as many bytes as format detection needs, or all there are. */
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
    throw notFound('The download was interrupted.');
  }
  return Buffer.concat(chunks);
}

async function* concatChunks(
  head: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield head;
  yield* { [Symbol.asyncIterator]: () => rest };
}
