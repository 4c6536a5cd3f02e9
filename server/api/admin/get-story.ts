/** Returns the story that a task is a shot of, for its page in the dashboard. */
import { StoryResponse } from '@vidgen/contract/admin-tasks.ts';
import { findStory } from '../../tasks/task-list.ts';
import { endpoint } from '../http/endpoint.ts';
import { adminTask } from './samples.ts';
import { adminTaskViews, findTask } from './task-list.ts';

export const getStory = endpoint({
  operationId: 'getStory',
  method: 'GET',
  path: '/admin/tasks/:id/story',
  summary: 'Get the shots of a story',
  description:
    'A shot names the shots before it in its metadata: `continues` has their IDs in order, ' +
    'separated by spaces. Of several continuations of a shot, the newest that has not failed is ' +
    'part of the story.',
  auth: 'member',
  role: 'viewer',
  responses: {
    200: {
      description: 'The task with the shots before and after it.',
      schema: StoryResponse,
      examples: {
        single: ['Not continued yet', { shots: [{ id: adminTask.id, task: adminTask }] }],
      },
    },
  },
  async handler(services, request) {
    const { lifecycle } = services;
    const story = await findStory(lifecycle.db, await findTask(services, request));
    const tasks = story.flatMap(({ task }) => task ?? []);
    const views = await adminTaskViews(lifecycle, tasks);
    const shots = story.map(({ id }) => ({ id, task: views.find((one) => one.id === id) ?? null }));
    return { body: { shots } };
  },
});
