/**
 * The state of a form. Errors of the service are shown at the field that they are about, and the
 * first invalid field gets the focus.
 */
import { type UseFormInput, type UseFormReturnType, useForm } from '@mantine/form';
import { useState } from 'react';
import { ApiError, fieldHints } from '../api/api-error.ts';

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
  // A field with an error may have to be unfolded first.
  requestAnimationFrame(() => focusFirst(form, hints));
  return rest === undefined && Object.keys(hints).length > 0 ? null : error;
}
