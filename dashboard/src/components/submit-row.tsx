/** The end of a form: why the last attempt failed, and the buttons that cancel and submit it. */
import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorNotice } from './error-notice.tsx';

export function SubmitRow({
  error,
  errorTitle,
  isPending,
  isDisabled = false,
  isDestructive = false,
  onCancel,
  cancel = 'Cancel',
  children,
}: {
  readonly error: Error | null;
  /** Says what failed: "Couldn’t create the account". */
  readonly errorTitle: string;
  readonly isPending: boolean;
  readonly isDisabled?: boolean;
  /** The button is red. */
  readonly isDestructive?: boolean;
  /** Without it, the form has no button that cancels. */
  onCancel?(): void;
  readonly cancel?: string;
  /** The label of the button. */
  readonly children: ReactNode;
}): ReactNode {
  return (
    <>
      {error ? <ErrorNotice error={error} title={errorTitle} /> : null}
      <Group justify="flex-end" gap="xs">
        {onCancel ? (
          <Button variant="default" onClick={onCancel}>
            {cancel}
          </Button>
        ) : null}
        <Button
          type="submit"
          {...(isDestructive ? { color: 'red' } : {})}
          loading={isPending}
          disabled={isDisabled}
        >
          {children}
        </Button>
      </Group>
    </>
  );
}
