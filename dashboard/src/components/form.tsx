/** A form: its fields, why the last attempt failed, and the buttons that cancel and submit. */
import { Button, Group, Stack, Text } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { ErrorNotice } from './states.tsx';

/** What a `NumberInput` takes. */
export const wholeNumber = {
  allowDecimal: false,
  allowNegative: false,
  thousandSeparator: ',',
} as const;

/** Fields that belong together, such as a list of rows. */
export function FieldGroup(props: {
  readonly legend: string;
  /** The field of the form that they are. */
  readonly path?: string;
  readonly children: ReactNode;
}) {
  return (
    <Stack
      component="fieldset"
      gap="sm"
      p={0}
      m={0}
      miw={0}
      style={{ border: 0 }}
      data-path={props.path}
    >
      <Text component="legend" fz="sm" fw={500} p={0} mb={6}>
        {props.legend}
      </Text>
      {props.children}
    </Stack>
  );
}

/** What a form does when it is submitted, from `useApiForm` or `useAsyncAction`. */
type Submit = {
  run(event: FormEvent<HTMLFormElement>): void;
  readonly error: Error | null;
  readonly isPending: boolean;
  /** The form checks its fields itself. */
  readonly noValidate?: true;
};

export function Form(props: {
  readonly submit: Submit;
  /** The label of the button, such as "Create account". */
  readonly action: string;
  /** Says what failed: "Couldn’t create the account". */
  readonly errorTitle: string;
  readonly isDisabled?: boolean;
  /** The button is red. */
  readonly isDestructive?: boolean;
  /** The button is as wide as the form. */
  readonly isWide?: true;
  /** Without it, the form has no button that cancels. */
  onCancel?(): void;
  /** The label of the button that cancels. */
  readonly cancel?: string;
  readonly children: ReactNode;
  readonly footer?: ReactNode;
}) {
  const { submit, onCancel, isDestructive, isWide = false } = props;
  const button = (
    <Button
      type="submit"
      {...(isDestructive ? { color: 'red' } : {})}
      loading={submit.isPending}
      disabled={props.isDisabled ?? false}
      fullWidth={isWide}
    >
      {props.action}
    </Button>
  );
  return (
    <form onSubmit={submit.run} noValidate={submit.noValidate}>
      <Stack gap="md">
        {props.children}
        <ErrorNotice error={submit.error} title={props.errorTitle} />
        {isWide ? (
          button
        ) : (
          <Group justify="flex-end" gap="xs">
            {onCancel ? (
              <Button variant="default" onClick={onCancel}>
                {props.cancel ?? 'Cancel'}
              </Button>
            ) : null}
            {button}
          </Group>
        )}
        {props.footer}
      </Stack>
    </form>
  );
}
