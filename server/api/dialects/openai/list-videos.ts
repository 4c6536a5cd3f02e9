/** Lists the tasks of the key's account in the key's mode as videos of OpenAI's format. */
import assert from 'node:assert/strict';
import { ApiError } from '@vidgen/contract/api-error.ts';
import { ListVideosQuery, VideoList } from '@vidgen/contract/openai-videos.ts';
import { isTaskId } from '../../../tasks/task-id.ts';
import { listTasks, listTasksAscending } from '../../../tasks/task-list.ts';
import { endpoint } from '../../http/endpoint.ts';
import { parseQuery } from '../../http/parse-request.ts';
import { openAiDefinition } from './definition.ts';
import { completedVideo, queuedVideo } from './samples.ts';
import { videoView } from './video-view.ts';

export const listVideos = endpoint({
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
    200: {
      description: 'A page of videos.',
      schema: VideoList,
      examples: {
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
      },
    },
  },
  errors: { invalid_request: 'limit must be at most 100 (got "500")' },
  async handler({ lifecycle }, { query, identity }) {
    assert(identity);
    const { accountId, mode } = identity;
    const { after, limit, order } = parseQuery(ListVideosQuery, query);
    if (after !== undefined && !isTaskId(after)) {
      throw new ApiError('invalid_request', 'after must be the last_id of a page of this list');
    }
    // One more, to know whether there is a next page.
    const page = { accountId, mode, limit: limit + 1 };
    const found =
      order === 'asc'
        ? await listTasksAscending(lifecycle.db, { ...page, afterId: after })
        : await listTasks(lifecycle.db, { ...page, beforeId: after });
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
