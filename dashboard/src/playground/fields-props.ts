/** The props of every part of the playground's form. */
import type { Model } from '@vidgen/contract/models-response.ts';
import type { FormField } from './form-problems.ts';
import type { FormType, GenerationForm } from './generation-form.ts';
import type { useUploads } from './use-uploads.ts';

export type FieldsProps = {
  readonly form: GenerationForm;
  readonly model: Model;
  readonly models: readonly Model[];
  change(form: GenerationForm): void;
  /** Adapts the rest of the form to the choice and lists the adjustments in `changes`. */
  pickModel(model: Model): void;
  pickType(type: FormType): void;
  /** The adjustments that followed from the last choice. */
  readonly changes: readonly string[];
  errorOf(field: FormField): string | null;
  readonly uploads: ReturnType<typeof useUploads>;
  /** Null when the person may not upload files. */
  readonly onFiles: ((files: readonly File[]) => void) | null;
  /** The task whose request has these materials, or null. */
  readonly taskId: string | null;
};
