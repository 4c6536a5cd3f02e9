/** All notices of the signed-in person. Opening the page marks them as read. */
import { ActionIcon, Badge, Button, Card, Group, Stack, Text } from '@mantine/core';
import { BellIcon, Cross2Icon } from '@radix-ui/react-icons';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { Notice } from '@vidgen/contract/notices.ts';
import { type ReactNode, useEffect, useState } from 'react';
import { post } from '../api/client.ts';
import { useCursorList } from '../api/cursor-list.ts';
import { invalidate, queryClient } from '../api/query-client.ts';
import { useSession } from '../api/session.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { TextLink } from '../components/links.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { TableSkeleton } from '../components/skeletons.tsx';
import { Note, SmallNote } from '../components/texts.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { toast } from '../components/toast.ts';
import { unreadQuery } from './notice-bell.tsx';
import classes from './notices.module.css';

export function NoticesPage(): ReactNode {
  const { sends_mail: sendsMail } = useSession();
  const list = useCursorList<Notice>({
    path: '/notices',
    pageSize: 25,
  });
  const { data } = useQuery(unreadQuery);
  // As it was when the page was opened.
  const [readUpTo] = useState(data?.read_up_to ?? null);
  const newest = list.items[0]?.id;
  useEffect(() => {
    // What fails is shown as unread again.
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
      {list.isLoading ? <TableSkeleton rows={4} /> : null}
      <ErrorNotice error={list.error} title="Couldn’t load notices" retry={list.refetch} />
      {list.items.length === 0 && !list.isLoading && !list.error ? (
        <EmptyState icon={<BellIcon />} title="No notices">
          Low balances, failing webhooks and refunds under review show up here.
        </EmptyState>
      ) : null}
      {list.items.length > 0 ? (
        <Card withBorder padding={0}>
          <ul className={classes.list}>
            {list.items.map((notice) => (
              <NoticeItem
                key={notice.id}
                notice={notice}
                isUnread={readUpTo === null || notice.id > readUpTo}
              />
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

async function markNoticesRead(upTo: string): Promise<void> {
  await post('/notices/read', { up_to: upTo });
  queryClient.setQueryData(unreadQuery.queryKey, (list) => list && { ...list, unread: 0 });
}

/** One notice with its link and the button that dismisses it. */
function NoticeItem(props: { readonly notice: Notice; readonly isUnread: boolean }): ReactNode {
  const { notice, isUnread } = props;
  const dismiss = useMutation({
    mutationFn: () => post(`/notices/${notice.id}/dismiss`),
    onSuccess: () => invalidate('/notices'),
    onError: () => toast('Couldn’t dismiss the notice'),
  });
  return (
    <li className={classes.item} data-unread={isUnread || undefined}>
      <div className={classes.content}>
        <Group gap={6}>
          <Text fz="sm" fw={600}>
            {notice.title}
          </Text>
          {notice.resolved_at === null ? null : (
            <Badge color="gray" size="sm">
              Resolved
            </Badge>
          )}
        </Group>
        <Note>{notice.message}</Note>
        <Group gap="sm" mt={4}>
          <NoticeLink notice={notice} />
          <SmallNote>
            <Timestamp at={notice.created_at} />
          </SmallNote>
        </Group>
      </div>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={`Dismiss: ${notice.title}`}
        loading={dismiss.isPending}
        onClick={() => dismiss.mutate()}
      >
        <Cross2Icon aria-hidden />
      </ActionIcon>
    </li>
  );
}

/** Opens the page where the person can do something about it. */
function NoticeLink({ notice }: { readonly notice: Notice }): ReactNode {
  const { person } = useSession();
  const { kind, account_id: account } = notice;
  if (kind === 'negative_margin' || kind === 'cost_unknown' || kind === 'bill_differs') {
    return (
      <TextLink to="/operator/margin" fz="xs">
        View margin
      </TextLink>
    );
  }
  if (kind === 'model_retires') {
    return (
      <TextLink to="/operator/models" fz="xs">
        View models
      </TextLink>
    );
  }
  if (kind === 'provider_breaker_open' || kind === 'canary_failed') {
    return (
      <TextLink to="/operator/providers" fz="xs">
        View providers
      </TextLink>
    );
  }
  if (kind === 'refund_waiting' && person.administrator) {
    return (
      <TextLink to="/operator/refunds" fz="xs">
        Review refunds
      </TextLink>
    );
  }
  if (account === null) return null;
  const [to, label] = (
    {
      low_balance: ['/accounts/$account/credits', 'View credits'],
      refund_waiting: ['/accounts/$account/credits', 'View credits'],
      webhook_failing: ['/accounts/$account/webhooks', 'View webhooks'],
      key_cap_reached: ['/accounts/$account/keys', 'View API keys'],
    } as const
  )[kind];
  return (
    <TextLink to={to} params={{ account }} search={{ mode: 'live' }} fz="xs">
      {label}
    </TextLink>
  );
}
