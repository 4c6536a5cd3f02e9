/** Checks whether the form can be sent, and sends it. */
import { useDebouncedValue, useHotkeys } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import type {
  CreateGenerationRequest,
  CreateGenerationResponse,
} from '@vidgen/contract/create-generation.ts';
import type { KeyMode } from '@vidgen/contract/models.ts';
import type { Model } from '@vidgen/contract/models-response.ts';
import type { PlaygroundEstimate } from '@vidgen/contract/playground.ts';
import { useRef, useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import { invalidate, post } from '../api/client.ts';
import { type AccountScope, isBlocked } from '../api/session.ts';
import { type FormField, missingInput, serverProblems } from './form-problems.ts';
import type { GenerationForm } from './generation-form.ts';
import { requestOf } from './generation-request.ts';
import { estimateQuery } from './playground-queries.ts';

const retriesMax = 2;

/**
 * Creates a task. Each submit has one Idempotency-Key, kept until a response arrives, so that a
 * retry after a lost response returns the same task and charges once.
 */
export function useCreateTask(account: { readonly id: string; readonly mode: KeyMode }) {
  const { id, mode } = account;
  const sent = useRef<{ readonly content: string; readonly key: string } | null>(null);
  return useMutation({
    mutationFn: async (request: CreateGenerationRequest) => {
      const content = JSON.stringify([id, mode, request]);
      if (sent.current?.content !== content) sent.current = { content, key: randomKey() };
      const path = `/admin/accounts/${id}/generations?mode=${mode}`;
      const headers = { 'idempotency-key': sent.current.key };
      return await post<CreateGenerationResponse>(path, request, headers);
    },
    retry: (count, error) => count < retriesMax && error instanceof ApiError && error.status === 0,
    onSuccess: () => {
      sent.current = null;
      void invalidate(`/admin/accounts/${id}`);
    },
  });
}

/** `crypto.randomUUID` is missing on pages loaded over plain HTTP. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

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
  const missing = missingInput(form, model);
  const serverError = create.error instanceof ApiError ? create.error : null;
  const serverErrors = serverError && serverProblems(serverError, form);
  const [debouncedForm] = useDebouncedValue(form, estimateMs);
  const { data: estimate } = useQuery(estimateQuery(account, debouncedForm));
  const waiting = isUploading ? 'Waiting for the upload to finish.' : null;
  const insufficient = isInsufficient(estimate) ? 'Not enough credits.' : null;
  const reason = rightReason(account) ?? waiting ?? missing?.message ?? insufficient;

  const submit = () => {
    if (create.isPending) return;
    setSubmitted(true);
    if (reason !== null) {
      if (missing) focusField(missing.field);
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
    estimate,
    reason,
    submit,
    /** Set when part of the error is about no field. */
    serverError: serverErrors !== null && serverErrors.rest !== null ? serverError : null,
    errorOf: (field: FormField): string | null =>
      serverErrors?.fields[field] ??
      (wasSubmitted && missing?.field === field ? missing.message : null),
  };
}

function rightReason({ hasRole, account }: AccountScope): string | null {
  if (isBlocked(account)) return 'This account can’t create videos.';
  return hasRole('developer')
    ? null
    : 'You have view-only access. Ask an account owner for the Developer role to create videos.';
}

/**
 * True only when the balance is certainly too low; other cases are left to the service. Video
 * editing is priced by the length of its source, which is unknown before the task is created.
 */
export const isInsufficient = (estimate: PlaygroundEstimate | undefined): boolean =>
  estimate !== undefined && !estimate.upper_bound && estimate.credits > estimate.available;

/** Focuses a field of the form by its name in the contract. */
export function focusField(field: FormField): void {
  const element = document.querySelector(`[data-field="${field}"]`);
  const control = element?.matches('input, textarea')
    ? element
    : element?.querySelector('textarea, input, button');
  if (control instanceof HTMLElement) control.focus();
}
