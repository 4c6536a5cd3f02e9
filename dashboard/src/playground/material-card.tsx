/** One material: its picture where we may show it, its name, and what can be done with it. */
import { ActionIcon, Progress, Text, Tooltip } from '@mantine/core';
import {
  ArrowLeftIcon,
  Cross2Icon,
  FileIcon,
  ImageIcon,
  SpeakerLoudIcon,
  VideoIcon,
} from '@radix-ui/react-icons';
import { type ReactNode, useState } from 'react';
import { addressOf } from '../api/client.ts';
import type { MaterialList } from './generation-form.ts';
import { ownAddress } from './own-address.ts';
import classes from './playground.module.css';
import type { RunningUpload } from './use-uploads.ts';

const icons = { images: ImageIcon, videos: VideoIcon, audios: SpeakerLoudIcon } as const;

export function MaterialCard({
  url,
  list,
  name,
  fileName,
  picture,
  onEarlier,
  onRemove,
}: {
  readonly url: string;
  readonly list: MaterialList;
  /** What it is here: "First frame". */
  readonly name: string | null;
  readonly fileName: string | null;
  /** The task that has it as this image: then the service shows it. */
  readonly picture: { readonly taskId: string; readonly number: number } | null;
  readonly onEarlier: (() => void) | null;
  onRemove(): void;
}): ReactNode {
  const told = fileName ?? shortName(url);
  const noun = name ?? told;
  return (
    <div className={classes.material}>
      <Picture url={url} list={list} picture={picture} />
      <Tooltip label={told} openDelay={300}>
        <span className={classes.caption}>{noun}</span>
      </Tooltip>
      <span className={classes.corner}>
        {onEarlier === null ? null : (
          <ActionIcon
            variant="default"
            size="sm"
            onClick={onEarlier}
            aria-label={name === null ? `Move ${noun} earlier` : 'Make it the first frame'}
          >
            <ArrowLeftIcon aria-hidden />
          </ActionIcon>
        )}
        <ActionIcon variant="default" size="sm" onClick={onRemove} aria-label={`Remove ${noun}`}>
          <Cross2Icon aria-hidden />
        </ActionIcon>
      </span>
    </div>
  );
}

/** Nothing is loaded from other hosts: what lies elsewhere is shown by its kind. */
function Picture({
  url,
  list,
  picture,
}: {
  readonly url: string;
  readonly list: MaterialList;
  readonly picture: { readonly taskId: string; readonly number: number } | null;
}): ReactNode {
  const [broken, setBroken] = useState<string | null>(null);
  const Icon = icons[list];
  const own = ownAddress(url);
  const shown =
    own ??
    (picture && addressOf(`/admin/tasks/${picture.taskId}/materials/images/${picture.number}`));
  if (shown === null || shown === broken || list === 'audios') {
    return (
      <span className={classes.picture}>
        <Icon aria-hidden width={20} height={20} />
      </span>
    );
  }
  if (list === 'videos') {
    return (
      <video
        className={classes.picture}
        src={shown}
        muted
        playsInline
        preload="metadata"
        aria-hidden
        tabIndex={-1}
        onError={() => setBroken(shown)}
      />
    );
  }
  return <img className={classes.picture} src={shown} alt="" onError={() => setBroken(shown)} />;
}

function shortName(url: string): string {
  if (ownAddress(url) !== null) return 'Uploaded file';
  if (!URL.canParse(url)) return url;
  const { host, pathname } = new URL(url);
  return pathname.split('/').filter(Boolean).at(-1) ?? host;
}

export function UploadCard({
  upload,
  onDismiss,
}: {
  readonly upload: RunningUpload;
  onDismiss(): void;
}): ReactNode {
  const { name, share, error } = upload;
  return (
    <div className={classes.material}>
      <span className={classes.picture}>
        <FileIcon aria-hidden width={20} height={20} />
      </span>
      {error === null ? (
        <Progress value={share * 100} size={3} radius={0} aria-label={`Upload of ${name}`} />
      ) : null}
      {error === null ? (
        <span className={classes.caption}>{name}</span>
      ) : (
        <Text c="red" fz="xs" px={8} py={4} role="alert" style={{ overflowWrap: 'anywhere' }}>
          {name}: {error}
        </Text>
      )}
      <span className={classes.corner}>
        <ActionIcon
          variant="default"
          size="sm"
          onClick={onDismiss}
          aria-label={error === null ? `Stop the upload of ${name}` : `Dismiss ${name}`}
        >
          <Cross2Icon aria-hidden />
        </ActionIcon>
      </span>
    </div>
  );
}
