/** A material of the form: preview, name, and buttons to move and remove it. */
import { ActionIcon, Progress, Text, Tooltip } from '@mantine/core';
import {
  ArrowLeftIcon,
  Cross2Icon,
  FileIcon,
  ImageIcon,
  SpeakerLoudIcon,
  VideoIcon,
} from '@radix-ui/react-icons';
import { useState } from 'react';
import { buildUrl } from '../api/client.ts';
import { sameOriginUrl } from '../api/files.ts';
import type { MaterialList } from './generation-form.ts';
import classes from './playground.module.css';
import type { RunningUpload } from './use-uploads.ts';

const icons = { images: ImageIcon, videos: VideoIcon, audios: SpeakerLoudIcon } as const;

export function MaterialCard(props: {
  readonly url: string;
  readonly list: MaterialList;
  /** Its role in the request, such as "First frame". */
  readonly name: string | null;
  readonly fileName: string | null;
  /** The image of a task through which the service serves a preview, or null. */
  readonly taskImage: { readonly taskId: string; readonly number: number } | null;
  readonly onEarlier: (() => void) | null;
  onRemove(): void;
}) {
  const { url, list, name, fileName, taskImage, onEarlier, onRemove } = props;
  const displayName = fileName ?? shortName(url);
  const label = name ?? displayName;
  return (
    <div className={classes.material}>
      <MaterialPreview url={url} list={list} taskImage={taskImage} />
      <Tooltip label={displayName} openDelay={300}>
        <span className={classes.caption}>{label}</span>
      </Tooltip>
      <span className={classes.cardActions}>
        {onEarlier === null ? null : (
          <ActionIcon
            variant="default"
            size="sm"
            onClick={onEarlier}
            aria-label={name === null ? `Move ${label} earlier` : 'Use as first frame'}
          >
            <ArrowLeftIcon aria-hidden />
          </ActionIcon>
        )}
        <ActionIcon variant="default" size="sm" onClick={onRemove} aria-label={`Remove ${label}`}>
          <Cross2Icon aria-hidden />
        </ActionIcon>
      </span>
    </div>
  );
}

/** Shows an icon for materials on other hosts, which the page must not load. */
function MaterialPreview(props: {
  readonly url: string;
  readonly list: MaterialList;
  readonly taskImage: { readonly taskId: string; readonly number: number } | null;
}) {
  const { url, list, taskImage } = props;
  const [brokenSource, setBrokenSource] = useState<string | null>(null);
  const Icon = icons[list];
  const localUrl = sameOriginUrl(url);
  const source =
    localUrl ??
    (taskImage &&
      buildUrl(`/admin/tasks/${taskImage.taskId}/materials/images/${taskImage.number}`));
  if (source === null || source === brokenSource || list === 'audios') {
    return (
      <span className={classes.preview}>
        <Icon aria-hidden width={20} height={20} />
      </span>
    );
  }
  if (list === 'videos') {
    return (
      <video
        className={classes.preview}
        src={source}
        muted
        playsInline
        preload="metadata"
        aria-hidden
        tabIndex={-1}
        onError={() => setBrokenSource(source)}
      />
    );
  }
  return (
    <img className={classes.preview} src={source} alt="" onError={() => setBrokenSource(source)} />
  );
}

function shortName(url: string): string {
  const own = sameOriginUrl(url);
  if (own !== null) return own.includes('/results/') ? 'Result' : 'Uploaded file';
  if (!URL.canParse(url)) return url;
  const { host, pathname } = new URL(url);
  return pathname.split('/').filter(Boolean).at(-1) ?? host;
}

export function UploadCard(props: { readonly upload: RunningUpload; onDismiss(): void }) {
  const { upload, onDismiss } = props;
  const { name, fraction, error } = upload;
  return (
    <div className={classes.material}>
      <span className={classes.preview}>
        <FileIcon aria-hidden width={20} height={20} />
      </span>
      {error === null ? (
        <Progress value={fraction * 100} size={3} radius={0} aria-label={`Upload of ${name}`} />
      ) : null}
      {error === null ? (
        <span className={classes.caption}>{name}</span>
      ) : (
        <Text c="red" fz="xs" px={8} py={4} role="alert" style={{ overflowWrap: 'anywhere' }}>
          {name}: {error}
        </Text>
      )}
      <span className={classes.cardActions}>
        <ActionIcon
          variant="default"
          size="sm"
          onClick={onDismiss}
          aria-label={error === null ? `Cancel upload of ${name}` : `Dismiss ${name}`}
        >
          <Cross2Icon aria-hidden />
        </ActionIcon>
      </span>
    </div>
  );
}
