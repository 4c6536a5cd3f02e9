/** What happens in the playground: what is chosen, what follows from it, and what is sent. */
import { useQuery } from '@tanstack/react-query';
import type { CreateGenerationRequest } from '@vidgen/contract/create-generation.ts';
import type { Model } from '@vidgen/contract/models-answer.ts';
import { useEffect, useRef, useState } from 'react';
import { keys, queryClient } from '../api/query-client.ts';
import type { AccountScope } from '../api/session.ts';
import { focusField } from './focus-field.ts';
import { emptyForm, type FormMode, fitForm, type GenerationForm } from './generation-form.ts';
import { isFinal, taskQuery } from './playground-queries.ts';
import { useCreateTask } from './use-create-task.ts';
import { usePlaygroundForm } from './use-playground-form.ts';
import { useSubmit } from './use-submit.ts';
import { listOfFile, useUploads } from './use-uploads.ts';

export function usePlayground(account: AccountScope, models: readonly Model[]) {
  const { form: told, taskId, ...address } = usePlaygroundForm(account.id, models);
  const model = models.find(({ id }) => id === told?.model) ?? (models[0] as Model);
  const form = told ?? emptyForm(model);
  const create = useCreateTask(account);
  const resultRef = useRef<HTMLDivElement>(null);
  useTask(taskId, { account: account.id, fill: told === null ? address.fill : null });

  const [changes, setChanges] = useState<readonly string[]>([]);
  const change = (next: GenerationForm) => {
    if (create.isError) create.reset();
    setChanges([]);
    address.change(next);
  };
  const adapt = (next: GenerationForm, to: Model) => {
    const { form: fitted, changes: made } = fitForm(next, to);
    change(fitted);
    setChanges(made);
    return fitted;
  };
  const pickMode = (mode: FormMode) => adapt({ ...form, mode }, model);
  const { uploads, bring } = useFiles({ account: account.id, form, change, pickMode });
  const submitting = useSubmit({
    account,
    form,
    model,
    create,
    isUploading: uploads.running.some(({ error }) => error === null),
    onCreated: (id) => {
      address.showTask(form, id);
      resultRef.current?.scrollIntoView({ block: 'nearest', behavior: 'smooth' });
    },
  });
  return {
    /** Null while it is to be filled from a task that is on its way. */
    form: told,
    model,
    taskId,
    create,
    submitting,
    resultRef,
    fields: {
      model,
      models,
      change,
      pickModel: (chosen: Model) => adapt({ ...form, model: chosen.id }, chosen),
      pickMode,
      changes,
      errorOf: submitting.errorOf,
      uploads,
      onFiles: account.may('developer') ? bring : null,
      taskId,
    },
    takeSample: (prompt: string) => {
      change({ ...form, prompt });
      focusField('prompt');
    },
    /** Gives back how to undo it. */
    startOver: (): (() => void) => {
      create.reset();
      address.startOver(emptyForm(model));
      return () => {
        address.startOver(form);
        if (taskId !== null) address.showTask(form, taskId);
      };
    },
  };
}

function useFiles({
  account,
  form,
  change,
  pickMode,
}: {
  readonly account: string;
  readonly form: GenerationForm;
  change(form: GenerationForm): void;
  pickMode(mode: FormMode): GenerationForm;
}) {
  const latest = useRef(form);
  latest.current = form;
  const uploads = useUploads(account, (list, url) => {
    const { current } = latest;
    // Two may arrive before the form is drawn again.
    latest.current = { ...current, [list]: [...current[list], url] };
    change(latest.current);
  });
  const bring = (files: readonly File[]) => {
    const mode = modeFor(files, form.mode);
    if (mode !== form.mode) latest.current = pickMode(mode);
    uploads.start(files);
  };
  return { uploads, bring };
}

/** Files say which mode is meant: whoever drops a picture on words wants it as the first frame. */
function modeFor(files: readonly File[], mode: FormMode): FormMode {
  const isPictures = files.every((file) => listOfFile(file) === 'images');
  if (mode === 'text-to-video') return isPictures ? 'image-to-video' : 'reference-to-video';
  return mode === 'image-to-video' && !isPictures ? 'reference-to-video' : mode;
}

/** Fills the form from a task that the address names alone; once it is final, balances moved. */
function useTask(
  taskId: string | null,
  {
    account,
    fill,
  }: {
    readonly account: string;
    /** Null where the form is filled already. */
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
  const isOver = task !== undefined && isFinal(task.status);
  useEffect(() => {
    if (isOver) void queryClient.invalidateQueries({ queryKey: keys.account(account) });
  }, [isOver, account]);
}
