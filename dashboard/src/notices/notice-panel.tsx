/** The newest notices, in the panel of the bell. Opening it marks them as read. */
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type MouseEvent, type ReactNode, useEffect, useState } from 'react';
import { TextLink } from '../components/links.tsx';
import { NoticeItem } from './notice-item.tsx';
import classes from './notices.module.css';
import { markNoticesRead, newestNoticesQuery } from './notices-query.ts';

export function NoticePanel({ close }: { close(): void }): ReactNode {
  const { data, error } = useQuery(newestNoticesQuery);
  // As it was when the panel was opened.
  const [readUpTo] = useState(data?.read_up_to ?? null);
  const newest = data?.items[0]?.id;
  const unread = data?.unread ?? 0;
  useEffect(() => {
    // What fails is shown as unread again.
    if (newest !== undefined && unread > 0) void markNoticesRead(newest).catch(() => {});
  }, [newest, unread]);
  const items = data?.items ?? [];
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: closes after a click on one of its links
    // biome-ignore lint/a11y/useKeyWithClickEvents: Enter on a link is a click
    <div
      onClick={({ target }: MouseEvent) => {
        if ((target as HTMLElement).closest('a')) close();
      }}
    >
      <div className={classes.panelHeader}>
        <Text component="h2" fz="sm" fw={600}>
          Notices
        </Text>
        <TextLink to="/notices" fz="sm">
          View all
        </TextLink>
      </div>
      {items.length === 0 ? (
        <Text fz="sm" c="dimmed" p="md" role={error ? 'alert' : undefined}>
          {error ? 'Couldn’t load notices. Try again in a moment.' : 'You’re all caught up.'}
        </Text>
      ) : (
        <ul className={classes.list}>
          {items.map((notice) => (
            <NoticeItem
              key={notice.id}
              notice={notice}
              isUnread={readUpTo === null || notice.id > readUpTo}
            />
          ))}
        </ul>
      )}
    </div>
  );
}
