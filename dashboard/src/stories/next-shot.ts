/** The playground's form for the shot after a task: it begins on the task's last frame. */
import type { AdminTaskDetail } from '@vidgen/contract/admin-tasks.ts';
import { continuesOf, shotsBefore, storyShotsMax } from '@vidgen/contract/story.ts';
import { searchOf } from '../playground/form-url.ts';
import { formOfRequest } from '../playground/generation-request.ts';
import type { PlaygroundSearch } from '../playground/playground-search.ts';

/** Whether the next shot is the first of another story. */
export const isStoryFull = ({ metadata }: Pick<AdminTaskDetail, 'metadata'>): boolean =>
  shotsBefore(metadata).length + 1 >= storyShotsMax;

export function searchOfNextShot(
  task: Pick<AdminTaskDetail, 'id' | 'request' | 'metadata'>,
  frameUrl: string,
): PlaygroundSearch {
  const shots = [...shotsBefore(task.metadata), task.id];
  const form = searchOf({
    ...formOfRequest(task.request),
    type: 'image-to-video',
    prompt: '',
    images: [frameUrl],
    videos: [],
    audios: [],
    aspectRatio: 'adaptive',
    seed: null,
    returnLastFrame: true,
    continues: isStoryFull(task) ? '' : continuesOf(shots),
  });
  return { ...form, task: task.id };
}
