/** The result of a task: progress, failure, or the video with all that can be done with it. */
import { Alert, Button, Group, Stack } from '@mantine/core';
import { DownloadIcon, ExclamationTriangleIcon } from '@radix-ui/react-icons';
import type { AdminTaskDetail } from '@vidgen/contract/admin-tasks.ts';
import type { AspectRatio } from '@vidgen/contract/models.ts';
import { type ReactNode, useState } from 'react';
import { sameOriginUrl } from '../api/files.ts';
import { useNowMs } from '../components/clock.ts';
import { CopyButton } from '../components/code.tsx';
import { Note, SmallNote, Timestamp, toDate } from '../components/text.tsx';
import { FollowUps } from '../stories/follow-ups.tsx';
import classes from './playground.module.css';
import { proportionOf } from './settings-fields.tsx';
import { RunningTaskProgress } from './task-progress.tsx';

export function TaskResult({ task }: { readonly task: AdminTaskDetail }) {
  const nowMs = useNowMs();
  const ratio = task.request.input.aspect_ratio ?? 'adaptive';
  if (task.status === 'failed') {
    const isCancelled = task.failed_reason === 'cancelled';
    return (
      <Alert
        color={isCancelled ? 'gray' : 'red'}
        title={isCancelled ? 'Canceled' : 'Generation failed'}
        icon={<ExclamationTriangleIcon aria-hidden />}
      >
        {task.failure?.sentence ?? 'The task failed and its credits were refunded.'}
      </Alert>
    );
  }
  if (task.status !== 'completed') {
    return (
      <VideoFrame ratio={ratio}>
        <RunningTaskProgress task={task} />
      </VideoFrame>
    );
  }
  const [video] = task.data?.results ?? [];
  const isExpired = !task.data || toDate(task.data.video_expires_at).getTime() <= nowMs;
  if (video !== undefined && !isExpired) {
    return <ResultVideo task={task} video={video} ratio={ratio} />;
  }
  return (
    <VideoFrame ratio={ratio}>
      <Note ta="center" p="md">
        This video has expired and was deleted. Try again creates it once more with the same
        request.
      </Note>
    </VideoFrame>
  );
}

export function VideoFrame(props: {
  readonly ratio: AspectRatio;
  /** The proportion of a loaded video; an adaptive ratio is not known before. */
  readonly proportion?: number | null;
  readonly children: ReactNode;
}) {
  const aspectRatio = String(props.proportion ?? proportionOf(props.ratio) ?? 16 / 9);
  return (
    <div className={classes.videoFrame} style={{ aspectRatio }}>
      {props.children}
    </div>
  );
}

function ResultVideo(props: {
  readonly task: AdminTaskDetail;
  readonly video: string;
  readonly ratio: AspectRatio;
}) {
  const { task, video, ratio } = props;
  const [proportion, setProportion] = useState<number | null>(null);
  const source = sameOriginUrl(video) ?? video;
  const poster = task.poster_url === null ? null : sameOriginUrl(task.poster_url);
  const lastFrame = task.data?.last_frame_url ?? null;
  return (
    <Stack gap="sm">
      <VideoFrame ratio={ratio} proportion={proportion}>
        <video
          className={classes.video}
          src={source}
          {...(poster === null ? {} : { poster })}
          controls
          playsInline
          muted
          autoPlay
          loop
          aria-label="Generated video"
          onLoadedMetadata={({ currentTarget: { videoWidth, videoHeight } }) => {
            if (videoHeight > 0) setProportion(videoWidth / videoHeight);
          }}
        />
      </VideoFrame>
      <Group gap="xs">
        <FollowUps task={task} video={video} />
      </Group>
      <Group gap="xs">
        <Button
          component="a"
          href={source}
          download={`${task.id}.mp4`}
          variant="default"
          size="xs"
          leftSection={<DownloadIcon aria-hidden />}
        >
          Download
        </Button>
        <CopyButton value={video} label="video link" text="Copy link" />
        {task.data ? (
          <SmallNote>
            Generated in {task.data.processing_time} s. Expires{' '}
            <Timestamp at={task.data.video_expires_at} />
          </SmallNote>
        ) : null}
      </Group>
      {lastFrame === null ? null : (
        <Group gap="sm" align="center" wrap="nowrap">
          <a href={sameOriginUrl(lastFrame) ?? lastFrame} target="_blank" rel="noreferrer">
            <img
              src={sameOriginUrl(lastFrame) ?? lastFrame}
              alt="Last frame of the video"
              height={72}
              style={{ borderRadius: 6, display: 'block' }}
            />
          </a>
          <Stack gap={4}>
            <SmallNote>Last frame</SmallNote>
            <CopyButton value={lastFrame} label="last frame link" />
          </Stack>
        </Group>
      )}
    </Stack>
  );
}
