/** The cost, the submit button, and the reason why it is disabled. */
import { Button, Group, Kbd, Stack, Text } from '@mantine/core';
import type { KeyMode } from '@vidgen/contract/models.ts';
import type { PlaygroundEstimate } from '@vidgen/contract/playground.ts';
import type { ReactNode } from 'react';
import { useAccount } from '../api/session.ts';
import { Credits } from '../components/format.tsx';
import { TextLink } from '../components/links.tsx';
import { SmallNote } from '../components/texts.tsx';
import classes from './playground.module.css';
import { formatTypicalTime } from './task-progress.tsx';
import { isInsufficient } from './use-submit.ts';

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

export function SubmitBar(props: {
  /** Undefined until it is loaded. */
  readonly estimate: PlaygroundEstimate | undefined;
  /** Why the form cannot be sent, or null. */
  readonly reason: string | null;
  readonly isPending: boolean;
  onSubmit(): void;
}): ReactNode {
  const { estimate, reason, isPending, onSubmit } = props;
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="sm" align="center">
        <div aria-live="polite" className={classes.cost}>
          {estimate ? <CostLine estimate={estimate} /> : null}
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

function CostLine({ estimate }: { readonly estimate: PlaygroundEstimate }): ReactNode {
  const { id, mode } = useAccount();
  const { credits, available, time, upper_bound: isUpperBound } = estimate;
  if (isInsufficient(estimate)) {
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
  return (
    <>
      <Text fz="sm">
        Costs {isUpperBound ? 'up to ' : ''}
        <Credits amount={credits} fw={600} /> of your <Credits amount={available} />{' '}
        {creditsLabel(mode)}
      </Text>
      <SmallNote>
        {isUpperBound ? 'Depends on the length of the source video' : formatTypicalTime(time)}
      </SmallNote>
    </>
  );
}
