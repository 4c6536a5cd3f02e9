/** What is wrong with a form, at the field it is about, and the person brought there. */
import { ApiError, fieldHints } from '../api/api-error.ts';

/** As `useForm` makes it, as far as it is needed here. */
type FormApi = {
  getInputNode(path: string): HTMLElement | null;
  setErrors(errors: Record<string, string>): void;
};

/** For `form.onSubmit(send, toFirstBad(form))`. */
export const focusFirstInvalid =
  (form: Pick<FormApi, 'getInputNode'>) =>
  (errors: Readonly<Record<string, unknown>>): void => {
    const [first] = Object.keys(errors);
    const node = first === undefined ? null : form.getInputNode(first);
    const controls = 'input, textarea, select, button';
    const control = node?.matches(controls) ? node : node?.querySelector(controls);
    if (control instanceof HTMLElement) control.focus();
  };

/**
 * A refusal of the service: what is about a field goes there, and the person with it. Given back is
 * the error where something is left to be said beside the fields; null when all of it found one.
 */
export function applyServerErrors(
  form: FormApi,
  cause: unknown,
  fields: readonly string[],
): Error | null {
  const error = cause instanceof Error ? cause : new Error(String(cause));
  if (!(error instanceof ApiError) || error.code !== 'invalid_request') return error;
  const { '': rest, ...hints } = fieldHints(error, fields);
  form.setErrors(hints);
  focusFirstInvalid(form)(hints);
  return rest === undefined && Object.keys(hints).length > 0 ? null : error;
}
