/** Downloads the file of a completed video with the key, as OpenRouter's clients do. */
import { endpoint } from '../../http/endpoint.ts';
import { fileDescriptions } from '../../http/file-response.ts';
import { findOwnTask } from '../../v1/get-task.ts';
import { resultContent } from '../result-content.ts';
import { openRouterDefinition } from './definition.ts';

export const getVideoJobContent = endpoint({
  ...openRouterDefinition,
  operationId: 'getVideoJobContent',
  method: 'GET',
  path: '/api/v1/videos/:id/content',
  summary: 'Download a video',
  description: 'The MP4. A task has one video; `index` is ignored.',
  permission: 'tasks:read',
  responses: fileDescriptions('video/mp4'),
  errors: { not_found: 'The video is queued; only a completed one has content.' },
  async handler(services, request) {
    const task = await findOwnTask(services, request);
    return await resultContent(services, request, { task, variant: 'video' });
  },
});
