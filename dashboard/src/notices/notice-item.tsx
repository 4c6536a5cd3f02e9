/** One notice with its link and the button that dismisses it. */
import { ActionIcon, Badge, Group, Text } from '@mantine/core';
import { Cross2Icon } from '@radix-ui/react-icons';
import { useMutation } from '@tanstack/react-query';
import type { Notice } from '@vidgen/contract/notices.ts';
import type { ReactNode } from 'react';
import { useSession } from '../api/session.ts';
import { TextLink } from '../components/links.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { toast } from '../components/toast.ts';
import classes from './notices.module.css';
import { dismissNotice } from './notices-query.ts';

export function NoticeItem({
  notice,
  isUnread,
}: {
  readonly notice: Notice;
  readonly isUnread: boolean;
}): ReactNode {
  const dismiss = useMutation({
    mutationFn: () => dismissNotice(notice.id),
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
        <Text fz="sm" c="dimmed">
          {notice.message}
        </Text>
        <Group gap="sm" mt={4}>
          <NoticeLink notice={notice} />
          <Text fz="xs" c="dimmed">
            <Timestamp at={notice.created_at} />
          </Text>
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

/** To the page where the person can do something about it. */
function NoticeLink({ notice }: { readonly notice: Notice }): ReactNode {
  const { person } = useSession();
  const { kind, account_id: account } = notice;
  if (kind === 'provider_breaker_open') {
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
