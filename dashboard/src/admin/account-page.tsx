/** The admin page of one account: balances, grants, retention, recent audit log, closing it. */
import { Alert, Group, SimpleGrid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { Account } from '@vidgen/contract/admin-accounts.ts';
import { keyModes } from '@vidgen/contract/models.ts';
import type { ReactNode } from 'react';
import { accountQuery } from '../api/session.ts';
import { AccountArchiveButton } from '../components/account-archive-button.tsx';
import { Copyable } from '../components/copyable.tsx';
import { DescriptionList } from '../components/description-list.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Credits } from '../components/format.tsx';
import { LinkButton } from '../components/links.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { SectionCard } from '../components/section-card.tsx';
import { PageSkeleton } from '../components/skeletons.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { BalanceAlert } from '../notices/balance-alert.tsx';
import { EndAccount } from './end-account.tsx';
import { GrantForm } from './grant-form.tsx';
import { RecentAuditLog } from './recent-audit-log.tsx';
import { RetentionForm } from './retention-form.tsx';

export function AccountPage(): ReactNode {
  const { id } = useParams({ from: '/signed-in/operator/accounts/$id' });
  const { data: account, error, isPending, refetch } = useQuery(accountQuery(id));
  if (error) {
    return (
      <ErrorNotice error={error} title="Couldn’t load this account" retry={() => void refetch()} />
    );
  }
  if (isPending) return <PageSkeleton />;
  const params = { account: id };
  return (
    <Stack gap="lg">
      <PageHeader
        title={account.name}
        description={<Copyable value={account.id} label="account ID" />}
        actions={
          <Group gap="xs">
            <AccountArchiveButton account={id} />
            <LinkButton variant="default" to="/accounts/$account" params={params}>
              Open account
            </LinkButton>
          </Group>
        }
      />
      {account.closed_at === null ? null : (
        <Alert color="red" title={erasureTitle(account)}>
          Closed <Timestamp at={account.closed_at} />. Its keys no longer work and no credits can be
          added. {erasureText(account)}
        </Alert>
      )}
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        {keyModes.map((mode) => (
          <BalanceCard
            key={mode}
            title={mode === 'live' ? 'Live credits' : 'Test credits'}
            balance={account.balance[mode]}
          />
        ))}
      </SimpleGrid>
      {account.closed_at === null ? <GrantForm account={id} /> : null}
      <BalanceAlert accountId={account.id} canEdit />
      <RetentionForm account={account} />
      <RecentAuditLog account={id} />
      <EndAccount account={account} />
    </Stack>
  );
}

function erasureTitle({ erasure_started_at, erased_at }: Account): string {
  if (erasure_started_at === null) return 'Account closed';
  return erased_at === null ? 'Erasing account' : 'Account erased';
}

function erasureText({ erasure_started_at, erased_at }: Account): string {
  if (erasure_started_at === null) return '';
  return erased_at === null
    ? 'Its data is being deleted.'
    : 'Its data was deleted, except credit history and usage.';
}

function BalanceCard(props: {
  readonly title: string;
  readonly balance: Account['balance']['live'];
}): ReactNode {
  const { available, reserved, suspended } = props.balance;
  return (
    <SectionCard title={props.title}>
      <DescriptionList
        items={[
          ['Available', <Credits key="available" amount={available} />],
          ['Reserved', <Credits key="reserved" amount={reserved} />],
          ['Suspended', <Credits key="suspended" amount={suspended} />],
        ]}
      />
    </SectionCard>
  );
}
