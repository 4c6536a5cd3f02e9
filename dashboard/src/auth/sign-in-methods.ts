/** How people can sign in here, and how the signed-in person does. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { SecurityResponse, SignInMethodsResponse } from '@vidgen/contract/sign-in.ts';
import { get } from '../api/client.ts';
import { keys } from '../api/query-client.ts';

/** Undefined until it is loaded; a page works without it. */
export function useSignInMethods(): SignInMethodsResponse | undefined {
  const { data } = useQuery({
    queryKey: keys.signInMethods,
    queryFn: () => get<SignInMethodsResponse>('/session/methods'),
    staleTime: 60_000,
  });
  return data;
}

export const securityQuery = queryOptions({
  queryKey: keys.security,
  queryFn: () => get<SecurityResponse>('/session/security'),
});
