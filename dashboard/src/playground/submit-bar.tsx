/** The cost, the submit button, and the reason why it is disabled. */
import { Button, Group, Kbd, Text } from '@mantine/core';
import type { KeyMode } from '@vidgen/contract/models.ts';
import type { PlaygroundEstimate } from '@vidgen/contract/playground.ts';
import { useAccount } from '../api/session.ts';
import { TextLink } from '../components/links.tsx';
import { Credits, SmallNote } from '../components/text.tsx';
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
}) {
  const { estimate, reason, isPending, onSubmit } = props;
  return (
    <Group justify="space-between" gap="sm" align="center" wrap="nowrap">
      <div aria-live="polite" className={classes.cost}>
        {estimate ? <CostLine estimate={estimate} hasNote={reason === null} /> : null}
        {reason === null ? null : <SmallNote id="playground-reason">{reason}</SmallNote>}
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
  );
}

const creditsLabel = (mode: KeyMode): string => (mode === 'test' ? 'test credits' : 'credits');

function CostLine(props: {
  readonly estimate: PlaygroundEstimate;
  /** Nothing else is below. */
  readonly hasNote: boolean;
}) {
  const { estimate, hasNote } = props;
  const { id, mode } = useAccount();
  const { credits, available, time, upper_bound: isUpperBound } = estimate;
  if (isInsufficient(estimate)) {
    return (
      <Text fz="sm">
        Costs <Credits amount={credits} fw={600} /> {creditsLabel(mode)}. You have{' '}
        <Credits amount={available} />.{' '}
        <TextLink to="/accounts/$account/credits" params={{ account: id }} fz="sm">
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
      {hasNote ? (
        <SmallNote>
          {isUpperBound ? 'Depends on the length of the source video' : formatTypicalTime(time)}
        </SmallNote>
      ) : null}
    </>
  );
}
