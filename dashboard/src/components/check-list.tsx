/** Results of checks: a summary that is read at a glance, and a row for each check. */
import { Group, Text, ThemeIcon, VisuallyHidden } from '@mantine/core';
import { CheckIcon, Cross2Icon, ExclamationTriangleIcon } from '@radix-ui/react-icons';
import type { ReactNode } from 'react';
import classes from './check-list.module.css';
import { Label, Note } from './texts.tsx';

type CheckState = 'ok' | 'warning' | 'error';

const icons = {
  ok: ['Passed', 'green', CheckIcon],
  warning: ['Warning', 'yellow', ExclamationTriangleIcon],
  error: ['Failed', 'red', Cross2Icon],
} as const;

export type Check = {
  readonly id: string;
  readonly state: CheckState;
  readonly title: string;
  /** What is checked, or what was found. */
  readonly description: ReactNode;
  /** Stands at the right of the title, such as a number of rows. */
  readonly aside?: ReactNode;
  /** Stands below the description, such as what to do. */
  readonly details?: ReactNode;
};

export function CheckSummary(props: {
  readonly state: CheckState;
  readonly title: string;
  readonly children: ReactNode;
  /** Shown at the right. */
  readonly actions?: ReactNode;
}): ReactNode {
  const { state, title, children, actions } = props;
  return (
    <Group justify="space-between" gap="sm" role="status">
      <Group gap="md" wrap="nowrap" flex="1 1 16rem" miw={0}>
        <StateIcon state={state} isLarge />
        <div>
          <Text component="h2" fz="md" fw={600}>
            {title}
          </Text>
          <Note>{children}</Note>
        </div>
      </Group>
      {actions}
    </Group>
  );
}

export function CheckList({ checks }: { readonly checks: readonly Check[] }): ReactNode {
  return (
    <ul className={classes.list}>
      {checks.map(({ id, state, title, description, aside, details }) => (
        <li key={id} className={classes.item}>
          <StateIcon state={state} />
          <div className={classes.content}>
            <Group justify="space-between" gap="sm" wrap="nowrap">
              <Label>{title}</Label>
              <Text fz="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
                {aside}
              </Text>
            </Group>
            <Note>{description}</Note>
            {details}
          </div>
        </li>
      ))}
    </ul>
  );
}

function StateIcon(props: { readonly state: CheckState; readonly isLarge?: true }): ReactNode {
  const size = props.isLarge ? 40 : 22;
  const [label, color, Icon] = icons[props.state];
  return (
    <ThemeIcon variant="light" color={color} size={size} radius="xl">
      <Icon aria-hidden width={size * 0.6} height={size * 0.6} />
      {props.isLarge ? null : <VisuallyHidden>{label}</VisuallyHidden>}
    </ThemeIcon>
  );
}
