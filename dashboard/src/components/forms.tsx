/** Forms that are sent to the service, and dialogs that ask for a confirmation. */
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { type UseFormInput, type UseFormReturnType, useForm } from '@mantine/form';
import { type FormEvent, type ReactNode, useState } from 'react';
import { ApiError, fieldHints } from '../api/api-error.ts';
import { ErrorNotice } from './error-notice.tsx';
import { useAsyncAction } from './use-async-action.ts';

/** What a form does when it is submitted, from `useApiForm` or `useAsyncAction`. */
type Submit = {
  run(event: FormEvent<HTMLFormElement>): void;
  readonly error: Error | null;
  readonly isPending: boolean;
  /** The form checks its fields itself. */
  readonly noValidate?: true;
};

/** Fields, why the last attempt failed, and the buttons that cancel and submit. */
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
  /** Below the buttons. */
  readonly footer?: ReactNode;
}): ReactNode {
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
        {submit.error ? <ErrorNotice error={submit.error} title={props.errorTitle} /> : null}
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

/**
 * The state of a form. Errors of the service are shown at the field that they are about, and the
 * first invalid field gets the focus.
 */
export function useApiForm<Values extends Record<string, unknown>>({
  send,
  ...options
}: UseFormInput<Values> & {
  readonly initialValues: Values;
  send(values: Values): Promise<void>;
}) {
  const form = useForm<Values>(options);
  const [error, setError] = useState<Error | null>(null);
  const run = form.onSubmit(
    async (values) => {
      setError(null);
      try {
        await send(values);
      } catch (cause) {
        setError(showFieldErrors(form, cause, Object.keys(options.initialValues)));
      }
    },
    (errors) => focusFirst(form, errors),
  );
  /** `error` is null when every part of the error is shown at a field. */
  return { form, submit: { run, error, isPending: form.submitting, noValidate: true as const } };
}

type FormApi = Pick<UseFormReturnType<Record<string, unknown>>, 'getInputNode' | 'setErrors'>;

function focusFirst(form: FormApi, errors: Readonly<Record<string, unknown>>): void {
  const [first] = Object.keys(errors);
  const node = first === undefined ? null : form.getInputNode(first);
  const controls = 'input, textarea, select, button';
  const control = node?.matches(controls) ? node : node?.querySelector(controls);
  if (control instanceof HTMLElement) control.focus();
}

/** Returns the error when some part of it is about none of the fields, otherwise null. */
function showFieldErrors(form: FormApi, cause: unknown, fields: readonly string[]): Error | null {
  const error = cause instanceof Error ? cause : new Error(String(cause));
  if (!(error instanceof ApiError) || error.code !== 'invalid_request') return error;
  const { '': rest, ...hints } = fieldHints(error, fields);
  form.setErrors(hints);
  focusFirst(form, hints);
  return rest === undefined && Object.keys(hints).length > 0 ? null : error;
}

type ConfirmDialogProps = {
  readonly opened: boolean;
  onClose(): void;
  readonly title: string;
  /** Says what the action does. */
  readonly children: ReactNode;
  /** The label of the button, such as "Revoke key". */
  readonly action: string;
  /** The label of the button that closes the dialog. */
  readonly dismiss?: string;
  /** The text to type before the button is enabled. */
  readonly confirmationText?: string;
  /** The button is red unless this is set. */
  readonly nonDestructive?: true;
  /** Runs the action. The dialog closes when it resolves and shows the error when it rejects. */
  run(): Promise<unknown>;
};

/** Asks for confirmation of an action, optionally by typing a name. */
export function ConfirmDialog(props: ConfirmDialogProps): ReactNode {
  return (
    <Modal opened={props.opened} onClose={props.onClose} title={props.title}>
      <ConfirmForm {...props} />
    </Modal>
  );
}

/** Rendered inside the modal, so that its state is reset each time the modal opens. */
function ConfirmForm(props: ConfirmDialogProps): ReactNode {
  const { children, confirmationText, run, onClose } = props;
  const [input, setInput] = useState('');
  const isReady = confirmationText === undefined || input.trim() === confirmationText;
  const submit = useAsyncAction(async () => {
    if (!isReady) return;
    await run();
    onClose();
  });
  return (
    <Form
      submit={submit}
      action={props.action}
      errorTitle="Something went wrong"
      isDisabled={!isReady}
      isDestructive={!props.nonDestructive}
      onCancel={onClose}
      {...(props.dismiss ? { cancel: props.dismiss } : {})}
    >
      {typeof children === 'string' ? <Text fz="sm">{children}</Text> : children}
      {confirmationText === undefined ? null : (
        <TextInput
          data-autofocus
          autoComplete="off"
          spellCheck={false}
          label={
            <>
              Type <b>{confirmationText}</b> to confirm
            </>
          }
          value={input}
          onChange={({ currentTarget }) => setInput(currentTarget.value)}
        />
      )}
    </Form>
  );
}
