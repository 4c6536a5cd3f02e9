/** Copies a text and shows for two seconds that it did. */
import { ActionIcon, Button, Group, CopyButton as MantineCopyButton, Text } from '@mantine/core';
import { CheckIcon, CopyIcon } from '@radix-ui/react-icons';
import type { ReactNode } from 'react';

const copiedMs = 2000;

/** Example: `<CopyButton value={task.id} label="task ID" />`. */
export function CopyButton(props: {
  readonly value: string;
  /** Completes the accessible name: "Copy task ID". */
  readonly label: string;
  /** Shows a button with this text instead of an icon. */
  readonly text?: string;
}): ReactNode {
  const { value, label, text } = props;
  return (
    <MantineCopyButton value={value} timeout={copiedMs}>
      {({ copied, copy }) => {
        const icon = copied ? <CheckIcon aria-hidden /> : <CopyIcon aria-hidden />;
        if (text !== undefined) {
          return (
            <Button variant="default" size="xs" leftSection={icon} onClick={copy}>
              {copied ? 'Copied' : text}
            </Button>
          );
        }
        return (
          <ActionIcon
            variant="subtle"
            color={copied ? 'green' : 'gray'}
            size="sm"
            onClick={copy}
            title={copied ? undefined : `Copy ${label}`}
            aria-label={copied ? `Copied ${label}` : `Copy ${label}`}
          >
            {icon}
          </ActionIcon>
        );
      }}
    </MantineCopyButton>
  );
}

/** An ID or a URL in a monospace font with a copy button, truncated where it does not fit. */
export function Copyable(props: {
  readonly value: string;
  /** Names the value in the label of the button, such as "task ID". */
  readonly label: string;
  /** Shown instead of the value, which is still what is copied. */
  readonly displayValue?: ReactNode;
}): ReactNode {
  const { value, label, displayValue } = props;
  return (
    <Group gap={4} wrap="nowrap" miw={0} maw="100%" display="inline-flex">
      <Text span ff="monospace" fz="sm" truncate title={value}>
        {displayValue ?? value}
      </Text>
      <CopyButton value={value} label={label} />
    </Group>
  );
}
