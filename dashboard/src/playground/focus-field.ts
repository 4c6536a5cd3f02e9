/** Brings a person to a field of the form, by the name the contract has for it. */
import type { FormField } from './form-problems.ts';

export function focusField(field: FormField): void {
  const place = document.querySelector(`[data-field="${field}"]`);
  const control = place?.matches('input, textarea')
    ? place
    : place?.querySelector('textarea, input, button');
  if (control instanceof HTMLElement) control.focus();
}
