/** Checks whether the form can be sent, and sends it. */
import { useDebouncedValue, useHotkeys } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { Model } from '@vidgen/contract/models-response.ts';
import type { PlaygroundEstimate } from '@vidgen/contract/playground.ts';
import { useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import type { AccountScope } from '../api/session.ts';
import { type FormField, type FormProblem, problemsOf, serverProblems } from './form-problems.ts';
import type { GenerationForm } from './generation-form.ts';
import { requestOf } from './generation-request.ts';
import { estimateQuery } from './playground-queries.ts';
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
  // Missing input is shown as an error only after the first attempt to submit.
  const [wasSubmitted, setSubmitted] = useState(false);
  const problems = problemsOf(form, model);
  const serverError = create.error instanceof ApiError ? create.error : null;
  const serverErrors = serverError && serverProblems(serverError, form);
  const [debouncedForm] = useDebouncedValue(form, estimateMs);
  const { data: estimate } = useQuery(estimateQuery(account, debouncedForm));
  const cost: Cost = { estimate, isUpperBound: estimate?.upper_bound ?? false };
  const reason = rightReason(account) ?? reasonOf({ problems, isUploading, cost });

  const submit = () => {
    if (create.isPending) return;
    setSubmitted(true);
    if (reason !== null) {
      if (problems[0]) focusField(problems[0].field);
      return;
    }
    create.mutate(requestOf(form, model), {
      onSuccess: ({ taskId }) => {
        setSubmitted(false);
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
    /** Set when part of the error is about no field. */
    serverError: serverErrors !== null && serverErrors.rest !== null ? serverError : null,
    errorOf: (field: FormField): string | null =>
      serverErrors?.fields[field] ??
      problems.find((one) => one.field === field && (wasSubmitted || !one.isMissing))?.message ??
      null,
  };
}

/** Whether the account is suspended or closed. */
export const isBlocked = (account: AccountScope['account']): boolean =>
  account !== undefined && (account.suspended_at !== null || account.closed_at !== null);

function rightReason({ hasRole, account }: AccountScope): string | null {
  if (isBlocked(account)) return 'This account can’t create videos.';
  return hasRole('developer')
    ? null
    : 'You have view-only access. Ask an account owner for the Developer role to create videos.';
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
  if (isUploading) return 'Waiting for the upload to finish.';
  if (problems[0]) return problems[0].message;
  return isInsufficient(cost) ? 'Not enough credits.' : null;
}

/** The estimated cost of a task, and whether the balance covers it. */
export type Cost = {
  /** Undefined until it is loaded. */
  readonly estimate: PlaygroundEstimate | undefined;
  /**
   * Video editing is priced by the length of its source, which is unknown before the task is
   * created.
   */
  readonly isUpperBound: boolean;
};

/** True only when the balance is certainly too low; other cases are left to the service. */
export const isInsufficient = ({ estimate, isUpperBound }: Cost): boolean =>
  estimate !== undefined && !isUpperBound && estimate.credits > estimate.available;

/** Focuses a field of the form by its name in the contract. */
export function focusField(field: FormField): void {
  const element = document.querySelector(`[data-field="${field}"]`);
  const control = element?.matches('input, textarea')
    ? element
    : element?.querySelector('textarea, input, button');
  if (control instanceof HTMLElement) control.focus();
}
