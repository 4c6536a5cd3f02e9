/**
 * Buttons that open the playground with a form about a result. The next shot begins on its last
 * frame; where the task has saved none, the frame is read in the browser and uploaded.
 */
import { Button, Text } from '@mantine/core';
import { TrackNextIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { AdminTaskDetail } from '@vidgen/contract/admin-tasks.ts';
import type { Upload } from '@vidgen/contract/playground.ts';
import { storyShotsMax } from '@vidgen/contract/story.ts';
import { sendFile } from '../api/files.ts';
import { useAccount } from '../api/session.ts';
import { useAsyncAction } from '../components/action.ts';
import { playgroundUrlOf, searchOf } from '../playground/form-url.ts';
import type { FormType } from '../playground/generation-form.ts';
import { formOfRequest } from '../playground/generation-request.ts';
import { modelsQuery } from '../playground/playground-queries.ts';
import type { PlaygroundSearch } from '../playground/playground-search.ts';
import { focusField } from '../playground/use-submit.ts';
import { readLastFrame } from './last-frame.ts';
import { isStoryFull, modelOfType, searchOfNextShot, searchOfVideo } from './next-form.ts';

/** What a result leads to: its next shot, an edit or an extension of it, or its settings again. */
export function FollowUps(props: {
  readonly task: AdminTaskDetail;
  /** The URL of the result. */
  readonly video: string;
}) {
  const { task, video } = props;
  const canCreate = useAccount().hasRole('developer');
  const { data: models } = useQuery(modelsQuery);
  const isFull = isStoryFull(task);
  const open = useOpenForm(task);
  const modelFor = (type: FormType) =>
    models && modelOfType(type, { models: models.items, preferred: task.model });
  const next = modelFor('image-to-video');
  const { run, isPending, error } = useAsyncAction(async () => {
    const frameUrl = task.data?.last_frame_url ?? (await uploadLastFrame(task, video));
    await open(searchOfNextShot(task, { model: next?.id ?? task.model, frameUrl }));
  });
  return (
    <>
      {models && !next ? null : (
        <Button
          size="xs"
          leftSection={<TrackNextIcon aria-hidden />}
          disabled={!canCreate}
          title={hintOf({ canCreate, isFull })}
          loading={isPending}
          onClick={(event) => void run(event)}
        >
          {isFull ? 'Continue in a new story' : 'Continue'}
        </Button>
      )}
      {(['video-editing', 'video-extension'] as const).map((type) => {
        const model = modelFor(type);
        if (!model) return null;
        return (
          <Button
            key={type}
            size="xs"
            variant="default"
            disabled={!canCreate}
            onClick={() => void open(searchOfVideo(task, { type, model: model.id, video }))}
          >
            {type === 'video-editing' ? 'Edit' : 'Extend'}
          </Button>
        );
      })}
      <Button
        size="xs"
        variant="default"
        onClick={() => void open({ ...searchOf(formOfRequest(task.request)), task: task.id })}
      >
        Reuse settings
      </Button>
      {error === null ? null : (
        <Text role="alert" fz="sm" c="red" w="100%" style={{ order: 1 }}>
          {`Couldn’t use the last frame. ${error.message}`}
        </Text>
      )}
    </>
  );
}

/** Opens the playground with a form, at its prompt. */
export function useOpenForm({ account_id, mode }: Pick<AdminTaskDetail, 'account_id' | 'mode'>) {
  const navigate = useNavigate();
  return async (form: PlaygroundSearch) => {
    const { search, hash } = playgroundUrlOf(form);
    await navigate({
      to: '/accounts/$account/playground',
      params: { account: account_id },
      search: { mode, ...search },
      hash,
    });
    focusField('prompt');
  };
}

function hintOf({ canCreate, isFull }: { canCreate: boolean; isFull: boolean }) {
  if (!canCreate) return 'You need the Developer role to create videos.';
  if (!isFull) return undefined;
  return (
    `This story has ${storyShotsMax} shots, the most it can have. ` +
    'The next shot begins on this last frame.'
  );
}

async function uploadLastFrame(task: AdminTaskDetail, video: string): Promise<string> {
  const file = await readLastFrame(video);
  const path = `/admin/accounts/${task.account_id}/uploads`;
  const { url } = await sendFile<Upload>(path, file, {
    onProgress: () => {},
    signal: new AbortController().signal,
  });
  return url;
}
