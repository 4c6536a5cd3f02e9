/**
 * Opens the playground for the next shot, which begins on the last frame of this one. Where the
 * task has saved none, the frame is read in the browser and uploaded.
 */
import { Button, Text } from '@mantine/core';
import { TrackNextIcon } from '@radix-ui/react-icons';
import { useNavigate } from '@tanstack/react-router';
import type { AdminTaskDetail } from '@vidgen/contract/admin-tasks.ts';
import type { Upload } from '@vidgen/contract/playground.ts';
import { storyShotsMax } from '@vidgen/contract/story.ts';
import type { ReactNode } from 'react';
import { sendFile } from '../api/files.ts';
import { useAccount } from '../api/session.ts';
import { useAsyncAction } from '../components/use-async-action.ts';
import { playgroundUrlOf } from '../playground/form-url.ts';
import { focusField } from '../playground/use-submit.ts';
import { readLastFrame } from './last-frame.ts';
import { isStoryFull, searchOfNextShot } from './story-problem.ts';

export function ContinueButton(props: {
  readonly task: AdminTaskDetail;
  /** The URL of the result. */
  readonly video: string;
}): ReactNode {
  const { task, video } = props;
  const canCreate = useAccount().hasRole('developer');
  const isFull = isStoryFull(task);
  const navigate = useNavigate();
  const { run, isPending, error } = useAsyncAction(async () => {
    const frameUrl = task.data?.last_frame_url ?? (await uploadLastFrame(task, video));
    const { search, hash } = playgroundUrlOf(searchOfNextShot(task, frameUrl));
    await navigate({
      to: '/accounts/$account/playground',
      params: { account: task.account_id },
      search: { mode: task.mode, ...search },
      hash,
    });
    focusField('prompt');
  });
  return (
    <>
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
      {error === null ? null : (
        <Text role="alert" fz="sm" c="red" w="100%" style={{ order: 1 }}>
          {`Couldn’t use the last frame. ${error.message}`}
        </Text>
      )}
    </>
  );
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
