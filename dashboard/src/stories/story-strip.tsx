/** The shots of a story in order, and their download as one file. Nothing for a single shot. */
import { Button, Stack, Text } from '@mantine/core';
import { DownloadIcon } from '@radix-ui/react-icons';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { AdminTaskDetail, StoryResponse } from '@vidgen/contract/admin-tasks.ts';
import { useState } from 'react';
import { get, resource } from '../api/client.ts';
import { fetchFile, saveFile } from '../api/files.ts';
import { serviceNowMs } from '../api/service-clock.ts';
import { useAsyncAction } from '../components/action.ts';
import { useNowMs } from '../components/clock.ts';
import { SectionCard } from '../components/page.tsx';
import { ErrorNotice, Loaded } from '../components/states.tsx';
import { Poster } from '../components/task-badges.tsx';
import classes from './story.module.css';
import { type StoryShot, shotState, storyProblem } from './story-problem.ts';

const runningRefetchMs = 3000;

const storyQuery = ({ id }: AdminTaskDetail) =>
  queryOptions({
    ...resource<StoryResponse>(`/admin/tasks/${id}/story`),
    refetchInterval: ({ state: { data } }) => {
      const isRunning = data?.shots.some(({ task }) => task !== null && task.finished_at === null);
      return isRunning ? runningRefetchMs : false;
    },
  });

export function StoryStrip({ task }: { readonly task: AdminTaskDetail }) {
  return (
    <Loaded query={useQuery(storyQuery(task))} what="the story">
      {({ shots }) => (shots.length < 2 ? null : <Story task={task} shots={shots} />)}
    </Loaded>
  );
}

function Story(props: { readonly task: AdminTaskDetail; readonly shots: readonly StoryShot[] }) {
  const { task, shots } = props;
  const nowMs = useNowMs();
  const [loading, setLoading] = useState(0);
  const download = useAsyncAction(() => downloadStory(task.id, setLoading));
  const problem = storyProblem(shots, nowMs);
  const status = download.isPending
    ? `Loading shot ${loading} of ${shots.length}…`
    : problem
      ? `${problem} All shots are needed to download the story.`
      : 'The joined file has no content credentials; each shot keeps its own.';
  return (
    <SectionCard
      title={`Story of ${shots.length} shots`}
      actions={
        <Button
          size="xs"
          variant="default"
          leftSection={<DownloadIcon aria-hidden />}
          disabled={problem !== null}
          loading={download.isPending}
          onClick={(event) => void download.run(event)}
        >
          Download as one file
        </Button>
      }
    >
      <Stack gap="sm">
        <ol className={classes.shots}>
          {shots.map((shot, at) => (
            <li key={shot.id} aria-current={shot.id === task.id || undefined}>
              <Shot shot={shot} number={at + 1} task={task} nowMs={nowMs} />
            </li>
          ))}
        </ol>
        <ErrorNotice error={download.error} title="Couldn’t download the story" />
      </Stack>
      <Text fz="xs" c="dimmed" role="status" mt="xs">
        {status}
      </Text>
    </SectionCard>
  );
}

const stateLabels = {
  ready: null,
  running: 'Generating',
  failed: 'Failed',
  expired: 'Expired',
  deleted: 'Deleted',
} as const;

function Shot(props: {
  readonly shot: StoryShot;
  readonly number: number;
  readonly task: AdminTaskDetail;
  readonly nowMs: number;
}) {
  const { shot, number, task, nowMs } = props;
  const state = stateLabels[shotState(shot, nowMs)];
  const content = (
    <>
      <Poster task={shot.task ?? { status: 'failed', poster_url: null }} />
      <span>
        {`Shot ${number}`}
        {state === null ? null : <span className={classes.state}>{` ${state}`}</span>}
      </span>
    </>
  );
  if (shot.task === null) return <span className={classes.shot}>{content}</span>;
  return (
    <Link
      to="/accounts/$account/tasks/$task"
      params={{ account: task.account_id, task: shot.id }}
      search={{ mode: task.mode }}
      className={classes.shot}
      title={shot.task.prompt}
    >
      {content}
    </Link>
  );
}

/** The shots and the joined file are in memory at once. */
const bytesMax = 512 * 1024 * 1024;

/** Throws an error with a message for the person. */
async function downloadStory(taskId: string, onProgress: (shot: number) => void): Promise<void> {
  // Read again, because a shot may have expired since the page was loaded.
  const { shots } = await get<StoryResponse>(`/admin/tasks/${taskId}/story`);
  const problem = storyProblem(shots, serviceNowMs());
  if (problem !== null) throw new Error(problem);
  const files: Blob[] = [];
  let bytes = 0;
  for (const [at, { task }] of shots.entries()) {
    onProgress(at + 1);
    const file = await fetchFile(task?.data?.results[0] ?? '', `shot ${at + 1}`);
    files.push(file);
    bytes += file.size;
    if (bytes > bytesMax) {
      throw new Error('The shots are too large to be joined here. Download them one by one.');
    }
  }
  const { joinShots } = await import('./join-shots.ts');
  saveFile(await joinShots(files), storyFileName(shots[0]?.task?.prompt ?? ''));
}

/** Named by the first prompt: `story-a-paper-boat-drifts.mp4`. */
function storyFileName(prompt: string): string {
  const words = prompt.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return `${['story', ...words].join('-').slice(0, 60).replace(/-$/, '')}.mp4`;
}
