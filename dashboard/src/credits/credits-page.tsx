/** The credits of an account: balance, top-ups and history. */
import { Alert, Card, Grid, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import type { Account } from '@vidgen/contract/admin-accounts.ts';
import type { ReactNode } from 'react';
import { useAccount } from '../api/session.ts';
import { Credits } from '../components/format.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { BalanceAlert } from '../notices/balance-alert.tsx';
import { Statement } from './statement.tsx';
import { TopUp } from './top-up.tsx';

export function CreditsPage(): ReactNode {
  const { id, account, mode, hasRole } = useAccount();
  const { checkout } = useSearch({ from: '/signed-in/accounts/$account/credits' });
  return (
    <Stack gap="lg">
      <PageHeader
        title="Credits"
        description="Tasks reserve credits, which are charged on completion or refunded on failure."
      />
      {checkout === 'paid' ? (
        <Alert color="green" title="Thanks for your purchase">
          Credits are added once Stripe confirms the payment, usually within seconds.
        </Alert>
      ) : null}
      {checkout === 'cancelled' ? (
        <Alert color="gray" title="Checkout canceled">
          You haven’t been charged.
        </Alert>
      ) : null}
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <BalanceStats balance={account?.balance[mode]} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <TopUp />
        </Grid.Col>
      </Grid>
      {mode === 'live' ? <BalanceAlert accountId={id} canEdit={hasRole('owner')} /> : null}
      <Statement />
    </Stack>
  );
}

type BalanceAmounts = Account['balance']['live'];

/** Shows placeholders until the balance is loaded. */
function BalanceStats({ balance }: { readonly balance: BalanceAmounts | undefined }): ReactNode {
  const { available, reserved, suspended = 0 } = balance ?? {};
  return (
    <SimpleGrid cols={{ base: 2, xs: suspended > 0 ? 3 : 2 }} h="100%">
      <Stat title="Available" amount={available} description="Ready to spend" />
      <Stat title="Reserved" amount={reserved} description="Held for tasks in progress" />
      {suspended > 0 ? (
        <Stat title="Suspended" amount={suspended} description="Refunds under review" />
      ) : null}
    </SimpleGrid>
  );
}

function Stat(props: {
  readonly title: string;
  readonly amount: number | undefined;
  readonly description: string;
}): ReactNode {
  return (
    <Card withBorder padding="md">
      <Text fz="sm" c="dimmed">
        {props.title}
      </Text>
      {props.amount === undefined ? (
        <Skeleton h={28} w={96} my={8} />
      ) : (
        <Credits amount={props.amount} fz={28} fw={600} />
      )}
      <Text fz="xs" c="dimmed">
        {props.description}
      </Text>
    </Card>
  );
}
