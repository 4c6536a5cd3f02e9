/** The cost, the submit button, and the reason why it is disabled. */
import { Button, Group, Kbd, Stack, Text } from '@mantine/core';
import type { KeyMode } from '@vidgen/contract/models.ts';
import type { ReactNode } from 'react';
import { useAccount } from '../api/session.ts';
import { Credits, capitalize } from '../components/format.tsx';
import { TextLink } from '../components/links.tsx';
import { SmallNote } from '../components/texts.tsx';
import { formatTypicalTime } from './eta.ts';
import classes from './playground.module.css';
import { type Cost, isInsufficient } from './use-submit.ts';

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

export function SubmitBar(props: {
  readonly cost: Cost;
  /** Why the form cannot be sent, or null. */
  readonly reason: string | null;
  readonly isPending: boolean;
  onSubmit(): void;
}): ReactNode {
  const { cost, reason, isPending, onSubmit } = props;
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="sm" align="center">
        <div aria-live="polite" className={classes.cost}>
          <CostLine {...cost} />
        </div>
        <Button
          onClick={onSubmit}
          loading={isPending}
          loaderProps={{ type: 'dots' }}
          aria-disabled={reason !== null || undefined}
          aria-describedby={reason === null ? undefined : 'playground-reason'}
          data-disabled={reason !== null}
          rightSection={
            <Kbd size="xs" visibleFrom="sm" aria-hidden>
              {isMac ? '⌘↵' : 'Ctrl ↵'}
            </Kbd>
          }
        >
          Generate
        </Button>
      </Group>
      {reason === null ? null : (
        <Text id="playground-reason" fz="sm" c="dimmed">
          {reason}
        </Text>
      )}
    </Stack>
  );
}

const creditsLabel = (mode: KeyMode): string => (mode === 'test' ? 'test credits' : 'credits');

function CostLine({ estimate, isUpperBound }: Cost): ReactNode {
  const { id, mode } = useAccount();
  if (estimate === undefined) return null;
  const { credits, available, time } = estimate;
  if (isInsufficient({ estimate, isUpperBound })) {
    return (
      <Text fz="sm">
        Costs <Credits amount={credits} fw={600} /> {creditsLabel(mode)}. You have{' '}
        <Credits amount={available} />.{' '}
        <TextLink to="/accounts/$account/credits" params={{ account: id }} underline="always">
          View credits
        </TextLink>
      </Text>
    );
  }
  const typical = formatTypicalTime(time);
  return (
    <>
      <Text fz="sm">
        Costs {isUpperBound ? 'up to ' : ''}
        <Credits amount={credits} fw={600} /> of your <Credits amount={available} />{' '}
        {creditsLabel(mode)}
      </Text>
      <SmallNote>
        {isUpperBound
          ? 'Depends on the length of the source video'
          : typical && capitalize(typical)}
      </SmallNote>
    </>
  );
}
