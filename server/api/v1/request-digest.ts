/** Digests of create requests, by which a repeated request is recognized. */
import type { CreateRequest } from '@vidgen/contract/create-generation.ts';
import { requestDigest } from '../../tasks/idempotency.ts';
import type { ApiServices } from '../http/handler.ts';

/** Uploads count by their content: the same file sent again has another URL. */
export function digestOfRequest(
  { contentName }: ApiServices['uploads'],
  request: CreateRequest,
): string {
  const { imageUrls, videoUrls, audioUrls } = request.generation;
  return requestDigest({
    ...request,
    generation: {
      ...request.generation,
      imageUrls: imageUrls.map(contentName),
      videoUrls: videoUrls.map(contentName),
      audioUrls: audioUrls.map(contentName),
    },
  });
}
