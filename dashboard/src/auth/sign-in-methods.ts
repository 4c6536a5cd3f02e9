/** How people can sign in here, and how the signed-in person does. */
import { useQuery } from '@tanstack/react-query';
import type { SecurityResponse, SignInMethodsResponse } from '@vidgen/contract/sign-in.ts';
import { resource } from '../api/query-client.ts';

/** Loaded before the pages that show it, so that they do not move later. */
export const signInMethodsQuery = {
  ...resource<SignInMethodsResponse>('/session/methods'),
  staleTime: 60_000,
};

/** Undefined if it could not be loaded yet; pages work without it. */
export const useSignInMethods = (): SignInMethodsResponse | undefined =>
  useQuery(signInMethodsQuery).data;

export const securityQuery = resource<SecurityResponse>('/session/security');
