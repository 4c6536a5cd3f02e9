/** The end of a form: why the last attempt failed, and the button that submits the form. */
import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorNotice } from './error-notice.tsx';

export function SubmitRow({
  error,
  errorTitle,
  isPending,
  isDisabled = false,
  children,
}: {
  readonly error: Error | null;
  /** Says what failed: "Couldn’t create the account". */
  readonly errorTitle: string;
  readonly isPending: boolean;
  readonly isDisabled?: boolean;
  /** The label of the button. */
  readonly children: ReactNode;
}): ReactNode {
  return (
    <>
      {error ? <ErrorNotice error={error} title={errorTitle} /> : null}
      <Group justify="flex-end">
        <Button type="submit" loading={isPending} disabled={isDisabled}>
          {children}
        </Button>
      </Group>
    </>
  );
}
