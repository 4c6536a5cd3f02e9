/** The mode switch, and the balance in the sidebar. */
import { Box, Group, SegmentedControl, Skeleton, Text, VisuallyHidden } from '@mantine/core';
import { useNavigate, useParams } from '@tanstack/react-router';
import { type KeyMode, keyModes } from '@vidgen/contract/models.ts';
import type { ReactNode } from 'react';
import { preferences } from '../api/preferences.ts';
import { useAccount } from '../api/session.ts';
import { Credits } from '../components/format.tsx';
import { TextLink } from '../components/links.tsx';
import { SmallNote } from '../components/texts.tsx';

export function ModeSwitch(): ReactNode {
  const { id, mode } = useAccount();
  const { account } = useParams({ strict: false });
  const navigate = useNavigate();
  const choose = (chosen: KeyMode) => {
    preferences.mode.set(chosen);
    // Reloads the current page of the account, or else opens the account in the chosen mode.
    void (account === undefined
      ? navigate({ to: '/accounts/$account', params: { account: id }, search: { mode: chosen } })
      : navigate({ to: '.', search: (previous) => ({ ...previous, mode: chosen }) }));
  };
  return (
    <SegmentedControl
      fullWidth
      size="xs"
      aria-label="Mode"
      value={mode}
      onChange={choose}
      data={keyModes.map((value) => ({ value, label: value === 'live' ? 'Live' : 'Test' }))}
    />
  );
}

export function Balance({ compact }: { readonly compact?: true }): ReactNode {
  const { id, mode, account, isUnknown } = useAccount();
  if (isUnknown) return null;
  const balance = account?.balance[mode];
  const amount = balance ? (
    <Credits amount={balance.available} fw={600} fz={compact ? 'sm' : 'lg'} />
  ) : (
    <>
      <Skeleton h={compact ? 14 : 20} w={72} display="inline-block" />
      <VisuallyHidden>Balance</VisuallyHidden>
    </>
  );
  if (compact) {
    return (
      <TextLink
        to="/accounts/$account/credits"
        params={{ account: id }}
        fz="sm"
        c="inherit"
        underline="never"
      >
        {amount} <Text span c="dimmed" fz="xs">{`${mode} credits`}</Text>
      </TextLink>
    );
  }
  return (
    <Box>
      <SmallNote>{mode === 'live' ? 'Live' : 'Test'} credits</SmallNote>
      <Group justify="space-between" align="baseline" gap={4} mih={28}>
        <TextLink
          to="/accounts/$account/credits"
          params={{ account: id }}
          c="inherit"
          underline="never"
        >
          {amount}
          <VisuallyHidden>{` ${mode} credits`}</VisuallyHidden>
        </TextLink>
        {balance && balance.reserved > 0 ? (
          <SmallNote>
            <Credits amount={balance.reserved} /> reserved
          </SmallNote>
        ) : null}
      </Group>
    </Box>
  );
}
