/** Focuses a field of the form by its name in the contract. */
import type { FormField } from './form-problems.ts';

export function focusField(field: FormField): void {
  const element = document.querySelector(`[data-field="${field}"]`);
  const control = element?.matches('input, textarea')
    ? element
    : element?.querySelector('textarea, input, button');
  if (control instanceof HTMLElement) control.focus();
}
