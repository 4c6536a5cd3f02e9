/**
 * Adds credits by a redemption code, or by a pack bought at Stripe where packs are configured.
 */
import { Button, Card, Group, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { LedgerEntry } from '@vidgen/contract/admin-accounts.ts';
import type { CheckoutResponse, TopUpPack, TopUpsResponse } from '@vidgen/contract/top-ups.ts';
import { type ReactNode, useState } from 'react';
import { get, post } from '../api/client.ts';
import { keys, queryClient } from '../api/query-client.ts';
import { useAccount } from '../api/session.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { formatNumber } from '../components/format.tsx';
import { toast } from '../components/toast.ts';
import { useAsyncAction } from '../components/use-async-action.ts';

export function TopUp(): ReactNode {
  const { id, mode, hasRole } = useAccount();
  const { data } = useQuery({
    queryKey: keys.accountPart(id, 'top-ups'),
    queryFn: () => get<TopUpsResponse>(`/admin/accounts/${id}/top-ups`),
  });
  return (
    <Card withBorder padding="md" h="100%">
      <Stack gap="sm">
        <Text fw={500}>Add credits</Text>
        {hasRole('owner') ? (
          <>
            <Redeem account={id} />
            {/* Packs add live credits only. */}
            {mode === 'live' && data && data.packs.length > 0 ? (
              <Packs account={id} packs={data.packs} />
            ) : null}
          </>
        ) : (
          <Text fz="sm" c="dimmed">
            Only account owners can add credits. Ask an owner or your administrator.
          </Text>
        )}
      </Stack>
    </Card>
  );
}

function Redeem({ account }: { readonly account: string }): ReactNode {
  const [code, setCode] = useState('');
  const redeem = useAsyncAction(async () => {
    const entry = await post<LedgerEntry>(`/admin/accounts/${account}/redemptions`, {
      code: code.trim(),
    });
    toast(`Added ${formatNumber(entry.amount)} ${entry.mode} credits`);
    setCode('');
    await queryClient.invalidateQueries({ queryKey: keys.account(account) });
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
        {redeem.error ? (
          <ErrorNotice error={redeem.error} title="Couldn’t redeem the code" />
        ) : null}
      </Stack>
    </form>
  );
}

function Packs(props: {
  readonly account: string;
  readonly packs: readonly TopUpPack[];
}): ReactNode {
  const [error, setError] = useState<Error | null>(null);
  const [chosen, setChosen] = useState<string | null>(null);
  const buy = async (pack: TopUpPack) => {
    setError(null);
    setChosen(pack.id);
    try {
      const path = `/admin/accounts/${props.account}/checkouts`;
      const { url } = await post<CheckoutResponse>(path, { pack: pack.id });
      window.location.assign(url);
    } catch (cause) {
      setError(cause as Error);
      setChosen(null);
    }
  };
  return (
    <Stack gap="xs">
      <Text fz="sm" fw={500}>
        Buy credits
      </Text>
      <Group gap="xs">
        {props.packs.map((pack) => (
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
      {error ? <ErrorNotice error={error} title="Couldn’t open checkout" /> : null}
    </Stack>
  );
}

/** The number of minor digits depends on the currency; yen have none. */
function price({ price: amount, currency }: TopUpPack): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  return format.format(amount / 10 ** digits);
}
