/** The source of an edit or an extension: a video of the account, or a URL. */
import { ApiError } from '@vidgen/contract/api-error.ts';
import type { ApiRequest, ApiServices } from '../../http/handler.ts';
import { findOwnTask } from '../../v1/get-task.ts';
import type { VideoSource } from './translate.ts';

export async function findSource(
  services: ApiServices,
  request: ApiRequest,
  { id, url }: { readonly id?: string | undefined; readonly url?: string | undefined },
): Promise<VideoSource> {
  if ((id === undefined) === (url === undefined)) {
    throw new ApiError('invalid_request', 'video must have either id or url');
  }
  if (url !== undefined) return { url };
  const task = await findOwnTask(services, { ...request, params: { id: id! } });
  const { status, result, expired, model, generation } = task;
  if (!result || expired) {
    const state = expired ? 'has expired' : `is ${status}`;
    throw new ApiError('invalid_request', `video must be a completed video; ${id} ${state}`);
  }
  const { resolution } = generation;
  return { url: services.lifecycle.resultUrl(task, result.video), model, resolution };
}

/** A file in a form stands for its URL. */
export const sourceField = { name: 'video', fileField: 'url' };
