/** All notices of the signed-in person. */
import { Button, Card, Group, Stack } from '@mantine/core';
import { BellIcon } from '@radix-ui/react-icons';
import type { Notice } from '@vidgen/contract/notices.ts';
import { type ReactNode, useEffect } from 'react';
import { useCursorList } from '../api/cursor-list.ts';
import { keys } from '../api/query-client.ts';
import { useSession } from '../api/session.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { PageSkeleton } from '../components/skeletons.tsx';
import { NoticeItem } from './notice-item.tsx';
import classes from './notices.module.css';
import { markNoticesRead } from './notices-query.ts';

export function NoticesPage(): ReactNode {
  const { sends_mail: sendsMail } = useSession();
  const list = useCursorList<Notice>({
    queryKey: [...keys.notices, 'all'],
    path: '/notices',
    pageSize: 25,
  });
  const newest = list.items[0]?.id;
  useEffect(() => {
    if (newest !== undefined) void markNoticesRead(newest).catch(() => {});
  }, [newest]);
  return (
    <Stack gap="lg">
      <PageHeader
        title="Notices"
        description={
          sendsMail
            ? 'What needs your attention. Owners and administrators also get these by email.'
            : 'What needs your attention.'
        }
      />
      {list.isLoading ? <PageSkeleton /> : null}
      {list.error ? (
        <ErrorNotice error={list.error} title="Couldn’t load notices" retry={list.refetch} />
      ) : null}
      {list.items.length === 0 && !list.isLoading && !list.error ? (
        <EmptyState icon={<BellIcon />} title="No notices">
          Low balances, failing webhooks and refunds under review show up here.
        </EmptyState>
      ) : null}
      {list.items.length > 0 ? (
        <Card withBorder padding={0}>
          <ul className={classes.list}>
            {list.items.map((notice) => (
              <NoticeItem key={notice.id} notice={notice} isUnread={false} />
            ))}
          </ul>
        </Card>
      ) : null}
      {list.hasMore ? (
        <Group justify="center">
          <Button variant="default" loading={list.isLoadingMore} onClick={list.loadMore}>
            Load more
          </Button>
        </Group>
      ) : null}
    </Stack>
  );
}
