/** Fields that are shown on request. */
import { Button, Collapse } from '@mantine/core';
import { ChevronDownIcon, ChevronRightIcon } from '@radix-ui/react-icons';
import { type ReactNode, useState } from 'react';

export function Disclosure(props: {
  readonly label: string;
  readonly startsOpen?: boolean;
  /** Open whatever the person chose: it has an error. */
  readonly isForced?: boolean;
  readonly children: ReactNode;
}): ReactNode {
  const { label, startsOpen = false, isForced = false, children } = props;
  const [opened, setOpened] = useState(startsOpen);
  const isOpen = opened || isForced;
  return (
    <div>
      <Button
        variant="subtle"
        color="gray"
        size="compact-sm"
        ml={-8}
        aria-expanded={isOpen}
        leftSection={isOpen ? <ChevronDownIcon aria-hidden /> : <ChevronRightIcon aria-hidden />}
        onClick={() => setOpened(!isOpen)}
      >
        {label}
      </Button>
      <Collapse expanded={isOpen}>{children}</Collapse>
    </div>
  );
}
