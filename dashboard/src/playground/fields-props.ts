/** What every part of the form is given: the form itself, and how to change it. */
import type { Model } from '@vidgen/contract/models-response.ts';
import type { FormField } from './form-problems.ts';
import type { FormType, GenerationForm } from './generation-form.ts';
import type { useUploads } from './use-uploads.ts';

export type FieldsProps = {
  readonly form: GenerationForm;
  readonly model: Model;
  readonly models: readonly Model[];
  change(form: GenerationForm): void;
  /** What else must change with it is changed, and told. */
  pickModel(model: Model): void;
  pickType(type: FormType): void;
  /** What was changed with the last choice; empty when nothing was. */
  readonly changes: readonly string[];
  errorOf(field: FormField): string | null;
  readonly uploads: ReturnType<typeof useUploads>;
  /** Null where the person may not bring files. */
  readonly onFiles: ((files: readonly File[]) => void) | null;
  /** Whose request has these materials; null without one. */
  readonly taskId: string | null;
};
