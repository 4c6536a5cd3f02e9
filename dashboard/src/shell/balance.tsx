/** The mode switch and the balance, in the header. */
import { SegmentedControl, Skeleton, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type KeyMode, keyModes } from '@vidgen/contract/models.ts';
import { preferences } from '../api/preferences.ts';
import { useAccount, useMode } from '../api/session.ts';
import { TextLink } from '../components/links.tsx';
import { Credits, formatNumber } from '../components/text.tsx';

export function ModeSwitch() {
  const mode = useMode();
  const navigate = useNavigate();
  const choose = (chosen: KeyMode) => {
    preferences.mode.set(chosen);
    void navigate({ to: '.', search: (previous) => ({ ...previous, mode: chosen }) });
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

export function Balance() {
  const { id, mode, account, isUnknown } = useAccount();
  if (isUnknown) return null;
  const balance = account?.balance[mode];
  return (
    <TextLink
      to="/accounts/$account/credits"
      params={{ account: id }}
      fz="sm"
      c="inherit"
      underline="never"
      style={{ whiteSpace: 'nowrap' }}
    >
      {balance ? (
        <Credits amount={balance.available} fw={600} fz="sm" />
      ) : (
        <Skeleton h={14} w={56} display="inline-block" />
      )}{' '}
      <Text span c="dimmed" fz="xs">
        {`${mode} credits`}
        {balance && balance.reserved > 0 ? (
          <Text
            span
            inherit
            visibleFrom="md"
          >{`, ${formatNumber(balance.reserved)} reserved`}</Text>
        ) : null}
      </Text>
    </TextLink>
  );
}
