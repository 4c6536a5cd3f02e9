/** How people can sign in, and how a sign-in at the OpenID provider has ended. */
import { useQuery } from '@tanstack/react-query';
import type { OpenIdProblem, SignInMethodsResponse } from '@vidgen/contract/sign-in.ts';
import { resource } from '../api/client.ts';

/** Loaded before the pages that show it, so that they do not move later. */
export const signInMethodsQuery = {
  ...resource<SignInMethodsResponse>('/session/methods'),
  staleTime: 60_000,
};

/** Undefined if it could not be loaded yet; pages work without it. */
export const useSignInMethods = (): SignInMethodsResponse | undefined =>
  useQuery(signInMethodsQuery).data;

/** The channel on which the window of a confirmation reports to the page that opened it. */
export const confirmations = 'vidgen-confirmations';

export type OpenIdResult = { readonly problem: string | null };

/** `name` is what people call the provider. */
const messages: Readonly<Record<OpenIdProblem, (name: string) => string>> = {
  expired: () => 'The sign-in took too long or was started in another browser. Try again.',
  cancelled: (name) => `You canceled the sign-in at ${name}.`,
  failed: (name) => `${name} couldn’t confirm who you are. Try again, or ask your administrator.`,
  unavailable: (name) => `${name} isn’t responding. Try again in a minute.`,
  unverified: (name) =>
    `${name} hasn’t verified your email address. Open the link in your invite instead, or ask ` +
    'your administrator.',
  uninvited: () => 'You need an invite to join. Ask an account owner to invite your email address.',
  email_taken: (name) =>
    `Your email address already has a login. Sign in with your password, then link ${name} in ` +
    'your profile.',
  deactivated: () => 'Your access was deactivated. Ask an administrator for a new invite.',
  linked_elsewhere: (name) =>
    `This ${name} login belongs to another person, or you’ve linked another one. Ask an ` +
    'administrator to unlink it.',
  not_linked: (name) =>
    `That’s not the ${name} login you’ve linked. Use the one you signed in with.`,
  not_repeated: (name) =>
    `${name} didn’t ask you to sign in again. Sign out there, then try again.`,
};

/** Returns why a sign-in failed, from the search parameter of a page that it returned to. */
export const openIdMessage = (problem: string | undefined, name = 'single sign-on') =>
  problem !== undefined && Object.hasOwn(messages, problem)
    ? messages[problem as OpenIdProblem](name)
    : null;
