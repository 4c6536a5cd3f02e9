/** The poster of a task's video in lists; an icon while there is none. */
import { ClockIcon, CrossCircledIcon, VideoIcon } from '@radix-ui/react-icons';
import type { AdminTask } from '@vidgen/contract/admin-tasks.ts';
import { type ReactNode, useState } from 'react';
import classes from './poster.module.css';
import { sameOriginUrl } from './same-origin-url.ts';

export function Poster({
  task,
}: {
  readonly task: Pick<AdminTask, 'status' | 'poster_url'>;
}): ReactNode {
  // Gone when the result has expired since the list was loaded.
  const [brokenSource, setBrokenSource] = useState<string | null>(null);
  const source = task.poster_url === null ? null : sameOriginUrl(task.poster_url);
  if (source !== null && source !== brokenSource) {
    return (
      <img
        className={classes.poster}
        src={source}
        alt=""
        width={64}
        height={36}
        loading="lazy"
        decoding="async"
        onError={() => setBrokenSource(source)}
      />
    );
  }
  const Icon = { failed: CrossCircledIcon, completed: VideoIcon, queued: ClockIcon }[
    task.status === 'generating' ? 'queued' : task.status
  ];
  return (
    <span className={classes.poster} aria-hidden>
      <Icon />
    </span>
  );
}
