/** The playground's forms that a result leads to. */
import type { AdminTaskDetail } from '@vidgen/contract/admin-tasks.ts';
import type { Model } from '@vidgen/contract/models-response.ts';
import { continuesOf, shotsBefore, storyShotsMax } from '@vidgen/contract/story.ts';
import { searchOf } from '../playground/form-url.ts';
import { type FormType, typesOf } from '../playground/generation-form.ts';
import { formOfRequest } from '../playground/generation-request.ts';
import type { PlaygroundSearch } from '../playground/playground-search.ts';

/** Whether the next shot is the first of another story. */
export const isStoryFull = ({ metadata }: Pick<AdminTaskDetail, 'metadata'>): boolean =>
  shotsBefore(metadata).length + 1 >= storyShotsMax;

/** The playground's form for the shot after a task: it begins on the task's last frame. */
export function searchOfNextShot(
  task: Pick<AdminTaskDetail, 'id' | 'request' | 'metadata'>,
  { model, frameUrl }: { readonly model: string; readonly frameUrl: string },
): PlaygroundSearch {
  const shots = [...shotsBefore(task.metadata), task.id];
  const form = searchOf({
    ...formOfRequest(task.request),
    model,
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

/** The model that is preferred, if it offers the type; else the first one that does. */
export const modelOfType = (
  type: FormType,
  { models, preferred }: { readonly models: readonly Model[]; readonly preferred: string },
): Model | undefined => {
  const offering = models.filter((model) => typesOf(model).includes(type));
  return offering.find(({ id }) => id === preferred) ?? offering[0];
};

/** An edit or an extension of a result, with the settings of its task. */
export function searchOfVideo(
  task: Pick<AdminTaskDetail, 'id' | 'request'>,
  { type, model, video }: { type: FormType; model: string; video: string },
): PlaygroundSearch {
  const form = searchOf({
    ...formOfRequest(task.request),
    type,
    model,
    prompt: '',
    images: [],
    videos: [video],
    audios: [],
    aspectRatio: 'adaptive',
    seed: null,
    continues: '',
  });
  return { ...form, task: task.id };
}
