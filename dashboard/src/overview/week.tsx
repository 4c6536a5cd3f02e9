/** The last seven days of an account: figures with their change, failures and webhooks. */
import { Progress, Text } from '@mantine/core';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { ListedDelivery } from '@vidgen/contract/admin-tasks.ts';
import type { UsageResponse } from '@vidgen/contract/usage.ts';
import { resource } from '../api/client.ts';
import { idleRefetchMs } from '../api/cursor-list.ts';
import { useAccount } from '../api/session.ts';
import { TextLink } from '../components/links.tsx';
import { SectionCard, StatCards } from '../components/page.tsx';
import {
  Credits,
  formatNumber,
  formatPercent,
  formatSuccessRate,
  SmallNote,
  Timestamp,
} from '../components/text.tsx';
import { endedOf, startOfSpan } from '../usage/usage-series.ts';
import { lastResponseText } from '../webhooks/webhook-error-text.ts';

export const weekDays = 7;

/** Of the last seven days, or of those before. */
export function useWeek(which: 'last' | 'before'): UseQueryResult<UsageResponse> {
  const { id, mode } = useAccount();
  const since = startOfSpan(2 * weekDays);
  const until = startOfSpan(weekDays);
  const period =
    which === 'last' ? { created_after: until } : { created_after: since, created_before: until };
  return useQuery({
    ...resource<UsageResponse>(`/admin/accounts/${id}/usage`, { mode, ...period }),
    refetchInterval: which === 'last' && idleRefetchMs,
  });
}

export function WeekCards() {
  const { account, mode } = useAccount();
  const { data: last } = useWeek('last');
  const { data: before } = useWeek('before');
  const balance = account?.balance[mode];
  const held = balance ? balance.reserved + balance.suspended : 0;
  const changeOf = (of: (usage: UsageResponse) => number) =>
    last && before ? changeText(of(last), of(before)) : '\u00a0';
  const stats = [
    {
      title: 'Available credits',
      value: balance ? <Credits amount={balance.available} /> : '–',
      description: held > 0 ? `${formatNumber(held)} on hold` : 'None on hold',
    },
    {
      title: `Spent in ${weekDays} days`,
      value: last ? <Credits amount={last.total.credits} /> : '–',
      description: changeOf(({ total }) => total.credits),
    },
    {
      title: `Tasks in ${weekDays} days`,
      value: last ? formatNumber(last.total.tasks) : '–',
      description: changeOf(({ total }) => total.tasks),
    },
    {
      title: `Success in ${weekDays} days`,
      value: last ? formatSuccessRate(endedOf(last)) : '–',
      hint: 'Completed of those that completed or failed. Canceled tasks are left out.',
      description: before ? successText(endedOf(before)) : '\u00a0',
    },
  ];
  return <StatCards stats={stats} cols={{ base: 2, md: 4 }} />;
}

/** `12% more than the week before`. */
function changeText(now: number, before: number): string {
  if (now === before) return 'Same as the week before';
  if (before === 0) return 'None the week before';
  const change = formatPercent(Math.abs(now / before - 1));
  return `${change} ${now > before ? 'more' : 'less'} than the week before`;
}

const successText = (before: ReturnType<typeof endedOf>): string =>
  before.completed + before.failed === 0
    ? 'None the week before'
    : `${formatSuccessRate(before)} the week before`;

const newestMax = 50;

/** How many of the newest webhooks arrived, and what came of the last one that did not. */
export function WebhookHealth() {
  const { id, mode } = useAccount();
  const { data } = useQuery({
    ...resource<{ readonly items: readonly ListedDelivery[] }>(`/admin/accounts/${id}/deliveries`, {
      mode,
      limit: newestMax,
    }),
    refetchInterval: idleRefetchMs,
  });
  const newest = data?.items.filter(({ status }) => status !== 'pending') ?? [];
  const failed = newest.filter(({ status }) => status === 'exhausted');
  const arrived = newest.length - failed.length;
  if (data === undefined) return null;
  return (
    <SectionCard
      title="Webhooks"
      actions={
        <TextLink to="/accounts/$account/webhooks" params={{ account: id }} fz="sm">
          View all
        </TextLink>
      }
    >
      <Text fz="sm">
        {newest.length === 0
          ? 'None sent yet.'
          : `${failed.length === 0 ? 'All' : arrived} of the last ${newest.length} were delivered.`}
      </Text>
      {newest.length === 0 ? null : (
        <Progress
          mt={6}
          size={6}
          color={failed.length === 0 ? 'green' : 'red'}
          value={(100 * arrived) / newest.length}
          aria-label={`Delivered: ${arrived} of ${newest.length}`}
        />
      )}
      {failed[0] ? (
        <SmallNote mt={6}>
          {`Last failure: ${lastResponseText(failed[0])}, `}
          <Timestamp at={failed[0].created_at} />.{' '}
          <TextLink
            to="/accounts/$account/webhooks"
            params={{ account: id }}
            search={{ status: 'exhausted' }}
            fz="xs"
          >
            View failed
          </TextLink>
        </SmallNote>
      ) : null}
    </SectionCard>
  );
}
