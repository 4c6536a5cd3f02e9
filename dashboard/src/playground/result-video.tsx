/** The video of a completed task, with its next shot, download, link, expiry and last frame. */
import { Button, Group, Stack } from '@mantine/core';
import { DownloadIcon } from '@radix-ui/react-icons';
import type { AdminTaskDetail } from '@vidgen/contract/admin-tasks.ts';
import type { AspectRatio } from '@vidgen/contract/models.ts';
import { type ReactNode, useState } from 'react';
import { sameOriginUrl } from '../api/files.ts';
import { CopyButton } from '../components/copy-button.tsx';
import { SmallNote } from '../components/texts.tsx';
import { Countdown } from '../components/timestamp.tsx';
import { ContinueButton } from '../stories/continue-button.tsx';
import { proportionOf } from './choice-tiles.tsx';
import classes from './playground.module.css';

export function ResultVideo(props: {
  readonly task: AdminTaskDetail;
  readonly video: string;
  readonly ratio: AspectRatio;
}): ReactNode {
  const { task, video, ratio } = props;
  // The proportion of the loaded video; an adaptive ratio is not known before.
  const [size, setSize] = useState<number | null>(null);
  const source = sameOriginUrl(video) ?? video;
  const poster = task.poster_url === null ? null : sameOriginUrl(task.poster_url);
  const lastFrame = task.data?.last_frame_url ?? null;
  return (
    <Stack gap="sm">
      <div
        className={classes.videoFrame}
        style={{ aspectRatio: String(size ?? proportionOf(ratio) ?? 16 / 9) }}
      >
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
            if (videoHeight > 0) setSize(videoWidth / videoHeight);
          }}
        />
      </div>
      <Group gap="xs">
        <ContinueButton task={task} video={video} />
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
            Expires in <Countdown until={task.data.video_expires_at} expiredText="a moment" />
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
