/** Whether the form can be sent, why not, and the sending. */
import { useDebouncedValue, useHotkeys } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { Model } from '@vidgen/contract/models-answer.ts';
import { useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import type { AccountScope } from '../api/session.ts';
import { type Cost, isTooLittle } from './cost.ts';
import { focusField } from './focus-field.ts';
import { type FormField, type FormProblem, problemsOf } from './form-problems.ts';
import type { GenerationForm } from './generation-form.ts';
import { requestOf } from './generation-request.ts';
import { estimateQuery } from './playground-queries.ts';
import { serverProblems } from './server-problems.ts';
import type { useCreateTask } from './use-create-task.ts';

const estimateMs = 200;

export function useSubmit({
  account,
  form,
  model,
  isUploading,
  create,
  onCreated,
}: {
  readonly account: AccountScope;
  readonly form: GenerationForm;
  readonly model: Model;
  readonly isUploading: boolean;
  readonly create: ReturnType<typeof useCreateTask>;
  onCreated(taskId: string): void;
}) {
  // What is missing is only called missing once somebody wanted to send it.
  const [isAsked, setAsked] = useState(false);
  const problems = problemsOf(form, model);
  const refusal = create.error instanceof ApiError ? create.error : null;
  const told = refusal && serverProblems(refusal, form);
  const [settled] = useDebouncedValue(form, estimateMs);
  const { data: estimate } = useQuery(estimateQuery(account, settled));
  const cost: Cost = { estimate, isUpperBound: form.mode === 'video-editing' };
  const reason = account.may('developer')
    ? reasonOf({ problems, isUploading, cost })
    : 'You are a viewer here. An owner of the account can make you a developer, who may create.';

  const submit = () => {
    if (create.isPending) return;
    setAsked(true);
    if (reason !== null) {
      if (problems[0]) focusField(problems[0].field);
      return;
    }
    create.mutate(requestOf(form, model), {
      onSuccess: ({ taskId }) => {
        setAsked(false);
        onCreated(taskId);
      },
      onError: (error) => {
        if (!(error instanceof ApiError)) return;
        const [field] = Object.keys(serverProblems(error, form).fields);
        if (field) focusField(field as FormField);
      },
    });
  };
  useHotkeys([['mod+Enter', submit]], []);
  return {
    cost,
    reason,
    submit,
    /** What the service declined and is about no field in particular. */
    refusal: told !== null && told.rest !== null ? refusal : null,
    errorOf: (field: FormField): string | null =>
      told?.fields[field] ??
      problems.find((one) => one.field === field && (isAsked || !one.isMissing))?.sentence ??
      null,
  };
}

function reasonOf({
  problems,
  isUploading,
  cost,
}: {
  readonly problems: readonly FormProblem[];
  readonly isUploading: boolean;
  readonly cost: Cost;
}): string | null {
  if (isUploading) return 'A file is still on its way.';
  if (problems[0]) return problems[0].sentence;
  return isTooLittle(cost) ? 'There are not enough credits for it.' : null;
}
