/** The credits of an account: balance, top-ups and history. */
import { Alert, Button, Card, Grid, Group, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import type { LedgerEntry } from '@vidgen/contract/admin-accounts.ts';
import type { CheckoutResponse, TopUpPack, TopUpsResponse } from '@vidgen/contract/top-ups.ts';
import { useState } from 'react';
import { invalidate, post, resource } from '../api/client.ts';
import { useAccount } from '../api/session.ts';
import { toast, useAsyncAction } from '../components/action.ts';
import { LinkButton } from '../components/links.tsx';
import { BalanceCards, CardTitle, Page } from '../components/page.tsx';
import { ErrorNotice } from '../components/states.tsx';
import { formatNumber, Label, Note } from '../components/text.tsx';
import { BalanceAlert } from '../notices/balance-alert.tsx';
import { Statement } from './statement.tsx';

export function CreditsPage() {
  const { id, account, mode, hasRole } = useAccount();
  const { checkout } = useSearch({ from: '/signed-in/accounts/$account/credits' });
  return (
    <Page
      title="Credits"
      description={
        'Tasks reserve credits, which are charged on completion or refunded on failure. ' +
        'The balance includes credits on hold.'
      }
      actions={
        <LinkButton
          variant="default"
          to="/accounts/$account/credits/statement"
          params={{ account: id }}
        >
          Monthly statement
        </LinkButton>
      }
    >
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
          <BalanceCards balance={account?.balance[mode]} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <TopUp />
        </Grid.Col>
      </Grid>
      {mode === 'live' ? <BalanceAlert canEdit={hasRole('owner')} /> : null}
      <Statement />
    </Page>
  );
}

/**
 * Adds credits by a redemption code, or by a pack bought at Stripe where packs are configured.
 */
function TopUp() {
  const { id, mode, hasRole } = useAccount();
  const { data } = useQuery(resource<TopUpsResponse>(`/admin/accounts/${id}/top-ups`));
  return (
    <Card withBorder padding="md" h="100%">
      <Stack gap="sm">
        <CardTitle>Add credits</CardTitle>
        {hasRole('owner') ? (
          <>
            <Redeem />
            {/* Packs add live credits only. */}
            {mode === 'live' && data && data.packs.length > 0 ? <Packs packs={data.packs} /> : null}
          </>
        ) : (
          <Note>Only account owners can add credits. Ask an owner or your administrator.</Note>
        )}
      </Stack>
    </Card>
  );
}

function Redeem() {
  const { id } = useAccount();
  const [code, setCode] = useState('');
  const redeem = useAsyncAction(async () => {
    const body = { code: code.trim() };
    const entry = await post<LedgerEntry>(`/admin/accounts/${id}/redemptions`, body);
    toast(`Added ${formatNumber(entry.amount)} ${entry.mode} credits`);
    setCode('');
    await invalidate(`/admin/accounts/${id}`);
  });
  return (
    <form onSubmit={redeem.run}>
      <Stack gap="xs">
        <Group gap="xs" align="flex-end" wrap="nowrap">
          <TextInput
            flex={1}
            label="Redemption code"
            placeholder="VG-XXXX-XXXX-XXXX-XXXX"
            autoComplete="off"
            spellCheck={false}
            value={code}
            onChange={({ currentTarget }) => setCode(currentTarget.value)}
          />
          <Button
            type="submit"
            variant="default"
            loading={redeem.isPending}
            disabled={code.trim() === ''}
          >
            Redeem code
          </Button>
        </Group>
        <ErrorNotice error={redeem.error} title="Couldn’t redeem the code" />
      </Stack>
    </form>
  );
}

function Packs({ packs }: { readonly packs: readonly TopUpPack[] }) {
  const { id } = useAccount();
  const [error, setError] = useState<Error | null>(null);
  const [chosen, setChosen] = useState<string | null>(null);
  const buy = async (pack: TopUpPack) => {
    setError(null);
    setChosen(pack.id);
    try {
      const path = `/admin/accounts/${id}/checkouts`;
      const { url } = await post<CheckoutResponse>(path, { pack: pack.id });
      window.location.assign(url);
    } catch (cause) {
      setError(cause as Error);
      setChosen(null);
    }
  };
  return (
    <Stack gap="xs">
      <Label>Buy credits</Label>
      <Group gap="xs">
        {packs.map((pack) => (
          <Button
            key={pack.id}
            variant="light"
            loading={chosen === pack.id}
            disabled={chosen !== null && chosen !== pack.id}
            onClick={() => void buy(pack)}
          >
            {formatNumber(pack.credits)} credits for {price(pack)}
          </Button>
        ))}
      </Group>
      <ErrorNotice error={error} title="Couldn’t open checkout" />
    </Stack>
  );
}

/** The number of minor digits depends on the currency; yen have none. */
function price({ price: amount, currency }: TopUpPack): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  return format.format(amount / 10 ** digits);
}
