/** Downloads the file of a completed video with the key, as OpenAI's clients do. */

import { ApiError } from '@vidgen/contract/api-error.ts';
import { VideoContentQuery } from '@vidgen/contract/openai-videos.ts';
import { endpoint } from '../../http/endpoint.ts';
import { fileDescriptions } from '../../http/file-response.ts';
import { parseQuery } from '../../http/parse-request.ts';
import { findOwnTask } from '../../v1/get-task.ts';
import { resultContent } from '../result-content.ts';
import { openAiDefinition } from './definition.ts';

export const getVideoContent = endpoint({
  parsesItself: true,
  ...openAiDefinition,
  operationId: 'getVideoContent',
  method: 'GET',
  path: '/v1/videos/:id/content',
  summary: 'Download a video',
  description:
    'The MP4, or with `variant=thumbnail` a JPEG of at most 640 pixels. There are no sprite ' +
    'sheets.',
  permission: 'tasks:read',
  query: VideoContentQuery,
  responses: fileDescriptions('video/mp4'),
  errors: { not_found: 'The video is queued; only a completed one has content.' },
  async handler(services, request) {
    const { variant } = parseQuery(VideoContentQuery, request.query);
    const task = await findOwnTask(services, request);
    if (variant === 'spritesheet') {
      throw new ApiError('not_found', 'There are no sprite sheets; use video or thumbnail.');
    }
    return await resultContent(services, request, { task, variant });
  },
});
