/**
 * The answer to a create, an edit or an extension. It is made of the request and the task's ID, so
 * that nothing can fail after the task was accepted.
 */
import type { CreateGenerationRequest } from '@vidgen/contract/create-generation.ts';
import type { AspectRatio, Resolution } from '@vidgen/contract/models.ts';
import type { Video } from '@vidgen/contract/openai-videos.ts';
import { editingDuration } from '../../../catalog/models.ts';
import { createdAtOf } from '../../../tasks/task-id.ts';
import type { ApiRequest, ApiResponse, ApiServices } from '../../http/handler.ts';
import { createTranslated } from '../translated-create.ts';
import { sizeOf } from '../video-size.ts';
import { pollHeaders } from './video-view.ts';

/** Our create with what the answer shows filled in. */
export type TranslatedRequest = Omit<CreateGenerationRequest, 'input'> & {
  readonly input: CreateGenerationRequest['input'] & {
    readonly duration: number;
    readonly resolution: Resolution;
    readonly aspect_ratio: AspectRatio;
  };
};

const fieldNames = {
  prompt: 'prompt',
  duration: 'seconds',
  resolution: 'size',
  aspect_ratio: 'size',
  image_urls: 'input_reference',
  video_urls: 'video',
};

export async function createVideoTask(
  services: ApiServices,
  request: ApiRequest,
  body: TranslatedRequest,
): Promise<ApiResponse> {
  const { created, headers } = await createTranslated(services, request, { body, fieldNames });
  const { model, input } = body;
  const { resolution, aspect_ratio: aspectRatio } = input;
  const video: Video = {
    id: created.taskId,
    object: 'video',
    model,
    status: 'queued',
    progress: 0,
    created_at: Math.floor(createdAtOf(created.taskId).getTime() / 1000),
    completed_at: null,
    expires_at: null,
    seconds: String(outputSeconds(services, body, created.credits)),
    size: sizeOf({ model, resolution, aspectRatio }),
    prompt: input.prompt.trim(),
    error: null,
    remixed_from_video_id: null,
  };
  return { body: video, headers: { ...headers, ...pollHeaders({ status: 'queued' }) } };
}

/** The request of an edit does not say how long it is, but its price does. */
function outputSeconds(
  { lifecycle: { catalog } }: ApiServices,
  { model, input }: TranslatedRequest,
  credits: number,
): number {
  if (input.duration !== editingDuration) return input.duration;
  const { perSecondWithVideo } = catalog.prices[model][input.resolution]!;
  return Math.max(1, Math.round(credits / perSecondWithVideo));
}
