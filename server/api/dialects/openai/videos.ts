/** Reads, lists, downloads and deletes videos in OpenAI's format. */
import assert from 'node:assert/strict';
import { invalidRequest, notFound } from '@vidgen/contract/api-error.ts';
import {
  ListVideosQuery,
  Video,
  VideoContentQuery,
  VideoDeleted,
  VideoList,
} from '@vidgen/contract/openai-videos.ts';
import { requirePermission } from '../../../accounts/keys/authenticate.ts';
import { cancel } from '../../../lifecycle/cancel.ts';
import { isFinal } from '../../../tasks/task.ts';
import { isTaskId } from '../../../tasks/task-id.ts';
import { listTasks } from '../../../tasks/task-list.ts';
import { endpoint, jsonResponse } from '../../http/endpoint.ts';
import { parseQuery } from '../../http/parse-request.ts';
import { taskId } from '../../http/samples.ts';
import { fileDescriptions } from '../../http/send.ts';
import { deleteFor, findOwnTask } from '../../v1/tasks.ts';
import { resultContent } from '../result-content.ts';
import {
  completedVideo,
  failedVideo,
  openAiDefinition,
  pollHeaders,
  queuedVideo,
  videoView,
} from './definition.ts';

const getVideo = endpoint({
  ...openAiDefinition,
  operationId: 'getVideo',
  method: 'GET',
  path: '/v1/videos/:id',
  summary: 'Get a video',
  description: 'Any task of the account, however it was created. A failed one has an `error`.',
  permission: 'tasks:read',
  responses: {
    200: {
      description: 'The video.',
      schema: Video,
      headers: ['openai-poll-after-ms'],
      examples: {
        queued: ['In progress', queuedVideo],
        completed: ['Completed', completedVideo],
        failed: ['Failed, and refunded', failedVideo],
      },
    },
  },
  async handler(services, request) {
    const task = await findOwnTask(services, request);
    return { body: videoView(task), headers: pollHeaders(task) };
  },
});

const getVideoContent = endpoint({
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
      throw notFound('There are no sprite sheets; use video or thumbnail.');
    }
    return await resultContent(services, request, { task, variant });
  },
});

const listVideos = endpoint({
  parsesItself: true,
  ...openAiDefinition,
  operationId: 'listVideos',
  method: 'GET',
  path: '/v1/videos',
  summary: 'List videos',
  description: 'The tasks of the account in the mode of the key, however they were created.',
  permission: 'tasks:read',
  query: ListVideosQuery,
  responses: {
    200: jsonResponse('A page of videos.', VideoList, {
      page: [
        'The last page',
        {
          object: 'list',
          data: [queuedVideo, completedVideo],
          first_id: queuedVideo.id,
          last_id: completedVideo.id,
          has_more: false,
        },
      ],
    }),
  },
  errors: { invalid_request: 'limit must be at most 100 (got "500")' },
  async handler({ lifecycle }, { query, identity }) {
    assert(identity);
    const { accountId, mode } = identity;
    const { after, limit, order } = parseQuery(ListVideosQuery, query);
    if (after !== undefined && !isTaskId(after)) {
      throw invalidRequest('after must be the last_id of a page of this list');
    }
    // One more, to know whether there is a next page.
    const found = await listTasks(lifecycle.db, {
      accountId,
      mode,
      beforeId: after,
      limit: limit + 1,
      isOldestFirst: order === 'asc',
    });
    const data = found.slice(0, limit).map(videoView);
    const body: VideoList = {
      object: 'list',
      data,
      first_id: data[0]?.id ?? null,
      last_id: data.at(-1)?.id ?? null,
      has_more: found.length > limit,
    };
    return { body };
  },
});

/**
 * Deletes a final video as `DELETE /v1/tasks/:id` does. One in progress is cancelled and refunded,
 * and stays in the list as failed.
 */
const deleteVideo = endpoint({
  ...openAiDefinition,
  operationId: 'deleteVideo',
  method: 'DELETE',
  path: '/v1/videos/:id',
  summary: 'Delete a video',
  description:
    'Deletes a completed or failed video as `DELETE /v1/tasks/:id` does, which takes the ' +
    'permission `tasks:delete`, too. One in progress is cancelled and refunded, and stays in the ' +
    'list as failed; `DELETE /v1/tasks/:id` deletes it then.',
  permission: 'tasks:cancel',
  responses: {
    200: jsonResponse('It is deleted, or cancelled and refunded.', VideoDeleted, {
      deleted: ['Deleted', { id: taskId, object: 'video.deleted', deleted: true }],
    }),
  },
  errors: {
    invalid_request:
      'The task is already generating at a provider that cannot stop it: wait until it has ' +
      'completed or failed.',
  },
  async handler(services, request) {
    // A test key must not stop what live credits pay for.
    const task = await findOwnTask(services, request, { ofKeyMode: true });
    if (!isFinal(task)) await cancel(services.lifecycle, task, request);
    // A repeated request finds what the first one did.
    else if (task.failedReason !== 'cancelled') {
      requirePermission(request.identity!, 'tasks:delete');
      await deleteFor(services, request, task);
    }
    const body: VideoDeleted = { id: task.id, object: 'video.deleted', deleted: true };
    return { body };
  },
});

export const videoEndpoints = [getVideo, getVideoContent, listVideos, deleteVideo];
