/**
 * `POST /callbacks/:provider/:reference`: a provider says that something changed. The reference is
 * unguessable, and where the upstream signs, the signature is checked too. `/callbacks/:provider`
 * is for those that sign and have one address for all.
 */
import {
  handleProviderCallback,
  handleSharedCallback,
} from '../../lifecycle/handle-provider-callback.ts';
import type { ApiRequest, ApiResponse, ApiServices } from '../http/handler.ts';

export async function postProviderCallback(
  { lifecycle }: ApiServices,
  { params, headers, body }: ApiRequest,
): Promise<ApiResponse> {
  await handleProviderCallback(lifecycle, {
    provider: params.provider!,
    reference: params.reference!,
    headers: firstValues(headers),
    body: body as Buffer,
  });
  // Known or not, over or not, believed or not: the answer is the same, and nobody learns from it.
  return { status: 204 };
}

export async function postSharedCallback(
  { lifecycle }: ApiServices,
  { params, headers, body }: ApiRequest,
): Promise<ApiResponse> {
  await handleSharedCallback(lifecycle, {
    provider: params.provider!,
    headers: firstValues(headers),
    body: body as Buffer,
  });
  return { status: 204 };
}

function firstValues(headers: ApiRequest['headers']): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name, [value].flat()[0] ?? '']);
  return Object.fromEntries(entries);
}
