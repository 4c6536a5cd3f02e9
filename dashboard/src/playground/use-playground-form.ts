/**
 * Keeps the form and the URL in sync: changes are written to the URL, and links, the back button
 * and tasks fill the form.
 */
import { useDebouncedCallback } from '@mantine/hooks';
import { useLocation, useNavigate, useSearch } from '@tanstack/react-router';
import type { CreateGenerationRequest } from '@vidgen/contract/create-generation.ts';
import type { Model } from '@vidgen/contract/models-response.ts';
import { useEffect, useRef, useState } from 'react';
import { formOfSearch, playgroundUrlOf, searchOf, searchOfUrl } from './form-url.ts';
import { adaptForm, emptyForm, type GenerationForm } from './generation-form.ts';
import { formOfRequest } from './generation-request.ts';
import type { PlaygroundSearch } from './playground-search.ts';

const page = '/signed-in/accounts/$account/playground';
const path = '/accounts/$account/playground';
const writeMs = 300;

/** Restores the form of an account when the person returns to the page. */
const lastSearches = new Map<string, PlaygroundSearch>();

export function usePlaygroundForm(account: string, models: readonly Model[]) {
  const { search, write } = usePlaygroundUrl(account);
  const { task: taskId = null, ...params } = search;
  const paramsKey = JSON.stringify(params);
  const [form, setForm] = useState(() => formFromSearch(search, models));
  const writtenKey = useRef(paramsKey);
  useEffect(() => {
    if (paramsKey === writtenKey.current) return;
    writtenKey.current = paramsKey;
    setForm(
      formFromSearch(
        { ...JSON.parse(paramsKey), ...(taskId === null ? {} : { task: taskId }) },
        models,
      ),
    );
  }, [paramsKey, taskId, models]);

  const writeForm = (
    next: GenerationForm,
    { task, replace }: { readonly task: string | null; readonly replace: boolean },
  ) => {
    const formSearch = searchOf(next);
    writtenKey.current = JSON.stringify(formSearch);
    write({ ...formSearch, ...(task === null ? {} : { task }) }, { replace });
  };
  const writeFormLater = useDebouncedCallback(
    (next: GenerationForm) => writeForm(next, { task: taskId, replace: true }),
    writeMs,
  );
  return {
    /** Null until the task that fills the form is loaded. */
    form,
    taskId,
    change(next: GenerationForm) {
      setForm(next);
      writeFormLater(next);
    },
    /** Fills the form when the URL names only a task. Null: there is no such task. */
    fill: (request: CreateGenerationRequest | null) =>
      setForm(
        request === null
          ? formFromSearch({}, models)
          : adaptToModels(formOfRequest(request), models),
      ),
    /** Puts a task created from this form into the URL. */
    showTask(next: GenerationForm, id: string) {
      writeFormLater.cancel();
      writeForm(next, { task: id, replace: false });
    },
    /** Replaces the form and removes the task from the URL. */
    startOver(next: GenerationForm) {
      writeFormLater.cancel();
      setForm(next);
      writeForm(next, { task: null, replace: false });
    },
  };
}

function formFromSearch(search: PlaygroundSearch, models: readonly Model[]): GenerationForm | null {
  const form = formOfSearch(search, models);
  if (form !== null || search.task !== undefined) return form;
  return models[0] === undefined ? null : emptyForm(models[0]);
}

/** Replaces a model that is no longer offered by the first one. */
function adaptToModels(form: GenerationForm, models: readonly Model[]): GenerationForm {
  const model = models.find(({ id }) => id === form.model) ?? models[0];
  return model === undefined ? form : adaptForm(form, model);
}

function usePlaygroundUrl(account: string) {
  const { mode, ...search } = useSearch({ from: page });
  const hash = useLocation({ select: (location) => location.hash });
  const navigate = useNavigate();
  const urlSearch = searchOfUrl({ search, hash });
  const isEmpty = Object.keys(urlSearch).length === 0;
  const current = isEmpty ? (lastSearches.get(account) ?? urlSearch) : urlSearch;
  const write = (next: PlaygroundSearch, { replace }: { readonly replace: boolean }) => {
    const url = playgroundUrlOf(next);
    void navigate({
      to: path,
      params: { account },
      search: { mode, ...url.search },
      hash: url.hash,
      replace,
      resetScroll: false,
      hashScrollIntoView: false,
    });
  };
  useEffect(() => {
    lastSearches.set(account, current);
    if (isEmpty && Object.keys(current).length > 0) write(current, { replace: true });
  });
  return { search: current, write };
}
