/** The admin page of one account: balances, credit grants, recent audit log, closing it. */
import { Alert, Button, Card, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { Account } from '@vidgen/contract/admin-accounts.ts';
import { keyModes } from '@vidgen/contract/models.ts';
import { type ReactNode, useState } from 'react';
import { post } from '../api/client.ts';
import { keys, queryClient } from '../api/query-client.ts';
import { accountQuery } from '../api/session.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { Copyable } from '../components/copyable.tsx';
import { DescriptionList } from '../components/description-list.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Credits } from '../components/format.tsx';
import { LinkButton } from '../components/links.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { SectionCard } from '../components/section-card.tsx';
import { PageSkeleton } from '../components/skeletons.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { toast } from '../components/toast.ts';
import { GrantForm } from './grant-form.tsx';
import { RecentAuditLog } from './recent-audit-log.tsx';

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
          <LinkButton variant="default" to="/accounts/$account" params={params}>
            Open account
          </LinkButton>
        }
      />
      {account.closed_at === null ? null : (
        <Alert color="red" title="Account closed">
          Closed <Timestamp at={account.closed_at} />. Its keys no longer work and no credits can be
          added.
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
      <RecentAuditLog account={id} />
      {account.closed_at === null ? <CloseAccount account={account} /> : null}
    </Stack>
  );
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

function CloseAccount({ account }: { readonly account: Account }): ReactNode {
  const [isConfirming, setConfirming] = useState(false);
  const close = async () => {
    await post(`/admin/accounts/${account.id}/close`);
    toast(`Closed ${account.name}`);
    await queryClient.invalidateQueries({ queryKey: keys.account(account.id) });
    await queryClient.invalidateQueries({ queryKey: keys.adminPart('accounts') });
  };
  return (
    <Card withBorder padding="md">
      <Group justify="space-between">
        <div>
          <Text component="h2" fz="md" fw={600}>
            Close account
          </Text>
          <Text fz="sm" c="dimmed">
            Keys stop working immediately, and refunds of running tasks will need your review. This
            can’t be undone.
          </Text>
        </div>
        <Button color="red" variant="light" onClick={() => setConfirming(true)}>
          Close account
        </Button>
      </Group>
      <ConfirmDialog
        opened={isConfirming}
        onClose={() => setConfirming(false)}
        title="Close account?"
        action="Close account"
        confirmationText={account.name}
        run={close}
      >
        All keys of {account.name} stop working, and no credits can be added. This can’t be undone.
      </ConfirmDialog>
    </Card>
  );
}
