/**
 * The form and its address, kept the same: what is chosen goes into the address, and whoever comes
 * by a link, goes back, or opens a task finds the form it tells of.
 */
import { useDebouncedCallback } from '@mantine/hooks';
import { useLocation, useNavigate, useSearch } from '@tanstack/react-router';
import type { CreateGenerationRequest } from '@vidgen/contract/create-generation.ts';
import type { Model } from '@vidgen/contract/models-answer.ts';
import { useEffect, useRef, useState } from 'react';
import { addressOf, formOfSearch, searchOf, searchOfAddress } from './form-address.ts';
import { emptyForm, fitForm, type GenerationForm } from './generation-form.ts';
import { formOfRequest } from './generation-request.ts';
import type { PlaygroundSearch } from './playground-search.ts';

const page = '/signed-in/accounts/$account/playground';
const path = '/accounts/$account/playground';
const writeMs = 300;

/** By account: who looks at another page and comes back by its link finds what was left. */
const left = new Map<string, PlaygroundSearch>();

export type PlaygroundForm = {
  /** Null while the task that it is to be filled from is on its way. */
  readonly form: GenerationForm | null;
  readonly taskId: string | null;
  change(form: GenerationForm): void;
  /** The form of a task that the address names alone; null where there is no such task. */
  fill(request: CreateGenerationRequest | null): void;
  /** A task of this very form: its id is in the address at once. */
  showTask(form: GenerationForm, id: string): void;
  /** Without a task. */
  startOver(form: GenerationForm): void;
};

export function usePlaygroundForm(account: string, models: readonly Model[]): PlaygroundForm {
  const { told, write } = useAddress(account);
  const { task: taskId = null, ...words } = told;
  const key = JSON.stringify(words);
  const [form, setForm] = useState(() => formTold(told, models));
  const written = useRef(key);
  useEffect(() => {
    if (key === written.current) return;
    written.current = key;
    setForm(formTold({ ...JSON.parse(key), ...(taskId === null ? {} : { task: taskId }) }, models));
  }, [key, taskId, models]);

  const put = (
    next: GenerationForm,
    { task, replace }: { readonly task: string | null; readonly replace: boolean },
  ) => {
    const search = searchOf(next);
    written.current = JSON.stringify(search);
    write({ ...search, ...(task === null ? {} : { task }) }, { replace });
  };
  const putLater = useDebouncedCallback(
    (next: GenerationForm) => put(next, { task: taskId, replace: true }),
    writeMs,
  );
  return {
    form,
    taskId,
    change(next) {
      setForm(next);
      putLater(next);
    },
    fill: (request) =>
      setForm(request === null ? formTold({}, models) : fitted(formOfRequest(request), models)),
    showTask(next, id) {
      putLater.cancel();
      put(next, { task: id, replace: false });
    },
    startOver(next) {
      putLater.cancel();
      setForm(next);
      put(next, { task: null, replace: false });
    },
  };
}

function formTold(told: PlaygroundSearch, models: readonly Model[]): GenerationForm | null {
  const form = formOfSearch(told, models);
  if (form !== null || told.task !== undefined) return form;
  return models[0] === undefined ? null : emptyForm(models[0]);
}

/** A model that is no longer served gives way to the first that is. */
function fitted(form: GenerationForm, models: readonly Model[]): GenerationForm {
  const model = models.find(({ id }) => id === form.model) ?? models[0];
  return model === undefined ? form : fitForm(form, model).form;
}

function useAddress(account: string) {
  const { mode, ...search } = useSearch({ from: page });
  const hash = useLocation({ select: (location) => location.hash });
  const navigate = useNavigate();
  const here = searchOfAddress({ search, hash });
  const isBare = Object.keys(here).length === 0;
  const told = isBare ? (left.get(account) ?? here) : here;
  const write = (next: PlaygroundSearch, { replace }: { readonly replace: boolean }) => {
    const address = addressOf(next);
    void navigate({
      to: path,
      params: { account },
      search: { mode, ...address.search },
      hash: address.hash,
      replace,
      resetScroll: false,
      hashScrollIntoView: false,
    });
  };
  useEffect(() => {
    left.set(account, told);
    if (isBare && Object.keys(told).length > 0) write(told, { replace: true });
  });
  return { told, write };
}
