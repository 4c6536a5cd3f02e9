/** The state and the actions of the playground. */
import { useQuery } from '@tanstack/react-query';
import type { CreateGenerationRequest } from '@vidgen/contract/create-generation.ts';
import type { Model } from '@vidgen/contract/models-response.ts';
import { useEffect, useRef } from 'react';
import { invalidate } from '../api/client.ts';
import type { AccountScope } from '../api/session.ts';
import { adaptForm, emptyForm, type FormType, type GenerationForm } from './generation-form.ts';
import { isFinal, taskQuery } from './playground-queries.ts';
import { usePlaygroundForm } from './use-playground-form.ts';
import { focusField, useCreateTask, useSubmit } from './use-submit.ts';
import { listOfFile, useUploads } from './use-uploads.ts';

/** On a small one the result is below the form, and a focus opens a keyboard over half of it. */
export const isLargeScreen = matchMedia('(min-width: 62em)').matches;

/** The props of every part of the form. */
export type FieldsProps = ReturnType<typeof usePlayground>['fields'] & {
  readonly form: GenerationForm;
};

export function usePlayground(account: AccountScope, models: readonly Model[]) {
  const { form: loadedForm, taskId, ...formState } = usePlaygroundForm(account.id, models);
  const model = models.find(({ id }) => id === loadedForm?.model) ?? (models[0] as Model);
  const form = loadedForm ?? emptyForm(model);
  const create = useCreateTask(account);
  const resultRef = useRef<HTMLDivElement>(null);
  useTask(taskId, { account: account.id, fill: loadedForm === null ? formState.fill : null });

  const change = (next: GenerationForm) => {
    if (create.isError) create.reset();
    // On another image, the shot continues no other one.
    const isSameStart = next.images[0] === form.images[0];
    formState.change(isSameStart ? next : { ...next, continues: '' });
  };
  const adapt = (next: GenerationForm, to: Model) => {
    const adapted = adaptForm(next, to);
    change(adapted);
    return adapted;
  };
  const pickType = (type: FormType) => adapt({ ...form, type }, model);
  const { uploads, addFiles } = useFiles({ account: account.id, form, change, pickType });
  const submitting = useSubmit({
    account,
    form,
    model,
    create,
    isUploading: uploads.running.some(({ error }) => error === null),
    onCreated: (id) => {
      formState.showTask(form, id);
      const block = isLargeScreen ? 'nearest' : 'start';
      resultRef.current?.scrollIntoView({ block, behavior: 'smooth' });
    },
  });
  return {
    /** Null until the task that fills the form is loaded. */
    form: loadedForm,
    model,
    taskId,
    create,
    submitting,
    resultRef,
    fields: {
      model,
      models,
      change,
      /** Adapts the rest of the form to the choice. */
      pickModel: (chosen: Model) => adapt({ ...form, model: chosen.id }, chosen),
      pickType,
      errorOf: submitting.errorOf,
      uploads,
      /** Null when the person may not upload files. */
      onFiles: account.hasRole('developer') ? addFiles : null,
      taskId,
    },
    takeSample: (prompt: string) => {
      change({ ...form, prompt });
      focusField('prompt');
    },
    /** Shows a task that was created with the request of the one that is shown. */
    showTask: (id: string) => formState.showTask(form, id),
    /** The back button undoes it. */
    startOver: () => {
      create.reset();
      formState.startOver(emptyForm(model));
    },
  };
}

function useFiles({
  account,
  form,
  change,
  pickType,
}: {
  readonly account: string;
  readonly form: GenerationForm;
  change(form: GenerationForm): void;
  pickType(type: FormType): GenerationForm;
}) {
  const latest = useRef(form);
  latest.current = form;
  const uploads = useUploads(account, (list, url) => {
    const { current } = latest;
    // Two uploads can finish before the next render.
    latest.current = { ...current, [list]: [...current[list], url] };
    change(latest.current);
  });
  const addFiles = (files: readonly File[]) => {
    const type = typeFor(files, form.type);
    if (type !== form.type) latest.current = pickType(type);
    uploads.start(files);
  };
  return { uploads, addFiles };
}

/**
 * Chooses a generation type that takes the files; an image on text to video becomes the first
 * frame.
 */
function typeFor(files: readonly File[], type: FormType): FormType {
  const areImages = files.every((file) => listOfFile(file) === 'images');
  if (type === 'text-to-video') return areImages ? 'image-to-video' : 'reference-to-video';
  return type === 'image-to-video' && !areImages ? 'reference-to-video' : type;
}

/**
 * Fills the form when the URL names only a task, and refreshes the balance when the task is final.
 */
function useTask(
  taskId: string | null,
  {
    account,
    fill,
  }: {
    readonly account: string;
    /** Null when the form is already filled. */
    readonly fill: ((request: CreateGenerationRequest | null) => void) | null;
  },
): void {
  const { data: task, isError } = useQuery({
    ...taskQuery(taskId ?? ''),
    enabled: taskId !== null,
  });
  useEffect(() => {
    if (fill !== null && (task !== undefined || isError)) fill(task?.request ?? null);
  }, [task, isError, fill]);
  const isTaskFinal = task !== undefined && isFinal(task.status);
  useEffect(() => {
    if (isTaskFinal) void invalidate(`/admin/accounts/${account}`);
  }, [isTaskFinal, account]);
}
