/**
 * Creates a task. Each submit has one Idempotency-Key, kept until a response arrives, so that a
 * retry after a lost response returns the same task and charges once.
 */
import { useMutation } from '@tanstack/react-query';
import type {
  CreateGenerationRequest,
  CreateGenerationResponse,
} from '@vidgen/contract/create-generation.ts';
import type { KeyMode } from '@vidgen/contract/models.ts';
import { useRef } from 'react';
import { ApiError } from '../api/api-error.ts';
import { invalidate, post } from '../api/client.ts';

const retriesMax = 2;

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
