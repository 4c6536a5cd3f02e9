/** The endpoints of a declared upstream. Every value in a path is escaped. */
import assert from 'node:assert/strict';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { type ClientOptions, createClient, type ReadTurn } from '../toolkit/client.ts';
import { fillTemplate, type PlaceholderValues } from '../toolkit/placeholders.ts';
import type { DeclaredSettings } from './settings.ts';

export type DeclaredCalls = ReturnType<typeof createDeclaredCalls>;

type CallSettings = Pick<
  DeclaredSettings,
  'start' | 'status' | 'find' | 'auth' | 'headers' | 'models' | 'materials'
>;

export const defaultCreateTimeoutMs = 90_000;
/** A response with a video or the materials as base64, which have 24 MiB then. */
const contentBodyBytesMax = 33 * 1024 ** 2;

export function createDeclaredCalls(options: ClientOptions & CallSettings) {
  const {
    start,
    status,
    find,
    auth,
    createTimeoutMs: timeoutMs = defaultCreateTimeoutMs,
  } = options;
  const client = createClient({
    ...options,
    ...(auth
      ? { authorization: (key) => ({ [auth.header]: auth.value.replaceAll('{{key}}', () => key) }) }
      : {}),
  });
  const echoesFiles = (options.materials ?? 'url') !== 'url';
  const hasContent = echoesFiles || status.videoBase64 !== undefined;
  const modelOf = (generation: Generation | undefined): string | undefined =>
    generation && options.models[generation.model];

  return {
    start(values: PlaceholderValues, generation: Generation) {
      const query = new URLSearchParams(
        fillTemplate(start.query ?? {}, values) as Record<string, string>,
      );
      const path = pathFor(start.path, { model: modelOf(generation) }, generation);
      return client.call(start.method ?? 'POST', query.size > 0 ? `${path}?${query}` : path, {
        headers: {
          ...start.headers,
          ...(start.idempotencyKeyHeader
            ? { [start.idempotencyKeyHeader]: String(values.reference) }
            : {}),
        },
        body: fillTemplate(start.body, values, { omitEmpty: true }),
        timeoutMs,
        ...(echoesFiles ? { bodyBytesMax: contentBodyBytesMax } : {}),
      });
    },
    /** Without `generation` for a status that does not depend on the task. */
    status(operation: string, request: ReadTurn & { generation?: Generation } = {}) {
      const { generation, ...turn } = request;
      const values = { operation, model: modelOf(generation) };
      return client.read(pathFor(status.path, values, generation), {
        ...turn,
        method: status.method ?? 'GET',
        ...(status.body ? { body: fillTemplate(status.body, values) } : {}),
        ...(hasContent ? { bodyBytesMax: contentBodyBytesMax } : {}),
      });
    },
    /** The second call of a description with `status.file`. */
    file: (file: string, turn: ReadTurn) => client.read(pathFor(status.file!.path, { file }), turn),
    find: (reference: string, generation: Generation) =>
      client.read(pathFor(find!.path, { reference, model: modelOf(generation) }, generation)),
    cancel(operation: string, cancel: NonNullable<DeclaredSettings['cancel']>) {
      const { method = 'POST', path, body } = cancel;
      const filled = body === undefined ? undefined : fillTemplate(body, { operation });
      return client.call(method, pathFor(path, { operation }), { body: filled });
    },
    /** The path of the video, for a description with `videoPath`. */
    videoPath: (operation: string) => pathFor(status.videoPath!, { operation }),
    save: client.save,
    resolveOnHost: client.resolveOnHost,
    close: client.close,
  };
}

type PathValues = Readonly<Record<string, string | undefined>>;

function pathFor(
  path: DeclaredSettings['start']['path'],
  values: PathValues,
  generation?: Generation,
): string {
  const template = typeof path === 'string' ? path : generation && path[generation.generationType];
  const escaped = Object.entries(values).map(([name, value]) => [name, escapeValue(name, value)]);
  const filled = fillTemplate(template, Object.fromEntries(escaped));
  assert(typeof filled === 'string', 'the description has a path for every task that was started');
  return filled;
}

/** The name of a model may contain slashes, which belong to the path. */
function escapeValue(name: string, value: string | undefined): string | undefined {
  const parts = name === 'model' ? value?.split('/') : value && [value];
  return parts ? parts.map(encodeURIComponent).join('/') : undefined;
}
