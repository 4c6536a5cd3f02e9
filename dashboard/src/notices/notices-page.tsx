/** All notices of the signed-in person. Opening the page marks them as read. */
import { ActionIcon, Badge, Button, Card, Group, Text } from '@mantine/core';
import { BellIcon, Cross2Icon } from '@radix-ui/react-icons';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { Notice } from '@vidgen/contract/notices.ts';
import { useEffect, useState } from 'react';
import { invalidate, post, queryClient } from '../api/client.ts';
import { useCursorList } from '../api/cursor-list.ts';
import { useSession } from '../api/session.ts';
import { toast } from '../components/action.ts';
import { TextLink } from '../components/links.tsx';
import { Page } from '../components/page.tsx';
import { EmptyState, ErrorNotice, TableSkeleton } from '../components/states.tsx';
import { Note, SmallNote, Timestamp } from '../components/text.tsx';
import { unreadQuery } from './notice-bell.tsx';
import classes from './notices.module.css';

export function NoticesPage() {
  const { sends_mail: sendsMail } = useSession();
  const list = useCursorList<Notice>({
    path: '/notices',
    pageSize: 25,
  });
  const { data } = useQuery(unreadQuery);
  // As it was when the page was opened.
  const [readUpTo, setReadUpTo] = useState(data?.read_up_to);
  if (readUpTo === undefined && data) setReadUpTo(data.read_up_to);
  const isKnown = data !== undefined;
  const newest = list.items[0]?.id;
  useEffect(() => {
    // What fails is shown as unread again.
    if (newest !== undefined && isKnown) void markNoticesRead(newest).catch(() => {});
  }, [newest, isKnown]);
  return (
    <Page
      title="Notices"
      description={
        sendsMail
          ? 'What needs your attention. Owners and administrators also get these by email.'
          : 'What needs your attention.'
      }
    >
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
                isUnread={readUpTo !== undefined && notice.id > (readUpTo ?? '')}
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
    </Page>
  );
}

async function markNoticesRead(upTo: string): Promise<void> {
  await post('/notices/read', { up_to: upTo });
  queryClient.setQueryData(unreadQuery.queryKey, (list) => list && { ...list, unread: 0 });
}

/** One notice with its link and the button that dismisses it. */
function NoticeItem(props: { readonly notice: Notice; readonly isUnread: boolean }) {
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

const adminLinks = {
  negative_margin: ['/operator/margin', 'View margin'],
  cost_unknown: ['/operator/margin', 'View margin'],
  bill_differs: ['/operator/margin', 'View margin'],
  model_retires: ['/operator/models', 'View models'],
  provider_breaker_open: ['/operator/providers', 'View providers'],
  canary_failed: ['/operator/providers', 'View providers'],
  refund_waiting: ['/operator/refunds', 'Review refunds'],
} as const;
const memberLinks = {
  low_balance: ['credits', 'View credits'],
  refund_waiting: ['credits', 'View credits'],
  webhook_failing: ['webhooks', 'View webhooks'],
  key_cap_reached: ['keys', 'View API keys'],
} as const;
const linkIn = <Links extends object>(links: Links, kind: Notice['kind']) =>
  (links as Partial<Record<Notice['kind'], Links[keyof Links]>>)[kind];

/** Opens the page where the person can do something about it. */
function NoticeLink({ notice }: { readonly notice: Notice }) {
  const { kind, account_id: account } = notice;
  const ofAdmin = useSession().person.administrator ? linkIn(adminLinks, kind) : undefined;
  if (ofAdmin) {
    return (
      <TextLink to={ofAdmin[0]} fz="xs">
        {ofAdmin[1]}
      </TextLink>
    );
  }
  const ofMember = linkIn(memberLinks, kind);
  if (account === null || !ofMember) return null;
  return (
    <TextLink
      to={`/accounts/$account/${ofMember[0]}`}
      params={{ account }}
      search={{ mode: 'live' }}
      fz="xs"
    >
      {ofMember[1]}
    </TextLink>
  );
}
