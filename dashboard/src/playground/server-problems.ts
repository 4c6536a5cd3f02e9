/** Splits an error of the service into a message per field and the rest. */
import { type ApiError, fieldHints } from '../api/api-error.ts';
import { type FormField, fieldOfList, formFields } from './form-problems.ts';
import { type GenerationForm, materialLists, usedMaterials } from './generation-form.ts';

type ServerProblems = {
  readonly fields: Readonly<Partial<Record<FormField, string>>>;
  /** The parts that are about no field of the form, or null. */
  readonly rest: string | null;
};

const itemNames = { images: 'Image', videos: 'Video', audios: 'Audio file' } as const;

export function serverProblems(error: ApiError, form: GenerationForm): ServerProblems {
  if (error.code !== 'invalid_request') return { fields: {}, rest: error.message };
  const used = usedMaterials(form);
  // The service names list items by index: `input.image_urls[1] must be …`.
  const items = materialLists.flatMap((list) =>
    used[list].map((_, index) => ({
      path: `${fieldOfList[list]}[${index}]`,
      field: fieldOfList[list],
      name: `${itemNames[list]} ${index + 1}`,
    })),
  );
  const hints = fieldHints(error, [...items.map(({ path }) => path), ...formFields]);
  const fields: Partial<Record<FormField, string>> = {};
  const add = (field: FormField, text: string) => {
    fields[field] = fields[field] === undefined ? text : `${fields[field]} ${text}`;
  };
  for (const field of formFields) if (hints[field]) add(field, `${hints[field]}.`);
  for (const { path, field, name } of items) {
    if (hints[path]) add(field, `${name} ${lowerCaseFirst(hints[path])}.`);
  }
  return { fields, rest: hints[''] ?? null };
}

const lowerCaseFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
