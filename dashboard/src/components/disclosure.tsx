/** Fields that are shown on request. */
import { Box, Button } from '@mantine/core';
import { ChevronDownIcon, ChevronRightIcon } from '@radix-ui/react-icons';
import { type ReactNode, useEffect, useState } from 'react';

export function Disclosure(props: {
  readonly label: string;
  readonly startsOpen?: boolean;
  /** Opens it: a field has an error. It stays open while the error is fixed. */
  readonly isForced?: boolean;
  readonly children: ReactNode;
}) {
  const { label, startsOpen = false, isForced = false, children } = props;
  const [opened, setOpened] = useState(startsOpen);
  const isOpen = opened || isForced;
  useEffect(() => {
    if (isForced) setOpened(true);
  }, [isForced]);
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
      {isOpen ? <Box pt="xs">{children}</Box> : null}
    </div>
  );
}
