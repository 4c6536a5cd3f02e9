/**
 * Creates tasks for the APIs of other vendors: through our own create, so that checks, prices,
 * credits and retries are the same. Errors name the fields that the client sent.
 */
import { ApiError } from '@vidgen/contract/api-error.ts';
import type { CreateGenerationResponse } from '@vidgen/contract/create-generation.ts';
import type { ModelName } from '@vidgen/contract/models.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { TaskDialect } from '../../tasks/task.ts';
import type { ApiRequest, ApiServices } from '../http/handler.ts';
import { createTask } from '../v1/create-generation.ts';

/**
 * What the client calls a field of our `input`, such as `image_urls[0]` or `duration`, or our
 * `callback_url`.
 */
export type FieldNames = Readonly<Record<string, string>>;

export type TranslatedCreate = {
  readonly body: unknown;
  readonly fieldNames: FieldNames;
  /** What the task keeps for reads and callbacks in the vendor's format. */
  readonly dialect?: TaskDialect;
};

export async function createTranslated(
  services: ApiServices,
  request: ApiRequest,
  { body, fieldNames, dialect }: TranslatedCreate,
): Promise<{ readonly created: CreateGenerationResponse; readonly headers: object }> {
  try {
    const origin = { createdBy: null, dialect };
    const response = await createTask(services, { ...request, body }, origin);
    return {
      created: response.body as CreateGenerationResponse,
      headers: response.headers ?? {},
    };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new ApiError(error.code, renameFields(error.message, fieldNames), error.details);
  }
}

/** Returns the message with `input.duration` as `seconds`, for example. */
export const renameFields = (message: string, names: FieldNames): string =>
  message
    .replace(
      /\binput\.(options\.\w+|\w+)(\[\d+\])?/g,
      (path, field: string, index = '') =>
        names[`${field}${index}`] ??
        names[field] ??
        path.replace('input.options', names.options ?? 'options'),
    )
    .replace(/\bcallback_url\b/, names.callback_url ?? 'callback_url');

/** An alias as the model it stands for. Any other name is checked by the create. */
export const resolveModel = ({ aliases }: Catalog, name: string): ModelName =>
  aliases.get(name) ?? (name as ModelName);
