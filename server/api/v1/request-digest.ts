/** Digests of create requests, by which a repeated request is recognized. */
import type { CreateRequest } from '@vidgen/contract/create-generation.ts';
import type { ModelArkTaskType } from '@vidgen/contract/modelark.ts';
import { requestDigest } from '../../tasks/idempotency.ts';
import type { ApiServices } from '../http/handler.ts';

/**
 * Uploads count by their content: the same file sent again has another URL. `taskType` is of
 * ModelArk's API alone, and changes the video.
 */
export function digestOfRequest(
  { contentName }: ApiServices['uploads'],
  request: CreateRequest,
  taskType?: ModelArkTaskType,
): string {
  const { imageUrls, videoUrls, audioUrls } = request.generation;
  return requestDigest({
    ...request,
    generation: {
      ...request.generation,
      imageUrls: imageUrls.map(contentName),
      videoUrls: videoUrls.map(contentName),
      audioUrls: audioUrls.map(contentName),
      ...(taskType === undefined ? {} : { taskType }),
    },
  });
}
