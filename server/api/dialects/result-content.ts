/** A file of a completed video, for clients that download it with their key. */
import { notFound } from '@vidgen/contract/api-error.ts';
import type { Task } from '../../tasks/task.ts';
import type { ApiRequest, ApiResponse, ApiServices } from '../http/handler.ts';
import { fileResponse } from '../http/send.ts';

export async function resultContent(
  services: ApiServices,
  request: ApiRequest,
  { task, variant }: { readonly task: Task; readonly variant: 'video' | 'thumbnail' },
): Promise<ApiResponse> {
  const { id, status, result, expired } = task;
  if (!result) throw notFound(`The video is ${status}; only a completed one has content.`);
  if (expired) throw notFound('The video has expired; its files were deleted at expires_at.');
  const { video, poster, lastFrame } = result;
  const key = variant === 'video' ? video : (poster ?? lastFrame);
  if (key === null) throw notFound('No image could be made of this video; it has no thumbnail.');
  const file = await services.lifecycle.storage.open(key);
  if (!file) throw notFound('The video has expired; its files were deleted at expires_at.');
  return await fileResponse(file, { request, fileName: `${id}.${key.split('.').at(-1)}` });
}
