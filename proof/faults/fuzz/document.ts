/**
 * The OpenAPI document as served: every operation with its parameters, body and responses, checked
 * by ajv, which is independent of the service's own schemas.
 */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

export type Json = Readonly<Record<string, unknown>>;
/** Returns why a value does not match, or null. */
type Check = (value: unknown) => string | null;

type Parameter = {
  readonly name: string;
  readonly location: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: Json;
  readonly check: Check;
};

export type ApiOperation = {
  readonly id: string;
  readonly method: string;
  /** As in the document: `/v1/tasks/{id}`. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** `schema` is null for bytes of any kind. */
  readonly body: { readonly schema: Json | null; readonly check: Check } | null;
  readonly responses: ReadonlyMap<number, ReadonlyMap<string, Check>>;
};

export type ApiDocument = {
  readonly operations: readonly ApiOperation[];
  /** Checks an error response, also on paths that the document does not have. */
  readonly checkError: Check;
  resolve(schema: Json): Json;
};

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;
/** Ours, and those of the formats of other vendors. */
const errorNames = [
  'ErrorResponse',
  'OpenAiError',
  'OpenRouterError',
  'ReplicateError',
  'ModelArkError',
  'McpResponse',
];

export async function fetchDocument(url: string): Promise<ApiDocument> {
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as Json;
  const ajv = new Ajv2020({ strict: false, inlineRefs: false, code: { optimize: false } });
  addFormats.default(ajv);
  ajv.addSchema(document, 'document');
  const compiled = new Map<string, ValidateFunction>();
  // Compiled at the first use, and once for all references to the same schema.
  const checkAt = (pointer: string): Check => {
    const { $ref } = at(pointer);
    const target = typeof $ref === 'string' ? $ref.slice(1) : pointer;
    return (value) => {
      const validate = compiled.get(target) ?? ajv.compile({ $ref: `document#${target}` });
      compiled.set(target, validate);
      return validate(value) ? null : ajv.errorsText(validate.errors, { dataVar: 'value' });
    };
  };
  const at = (pointer: string): Json => {
    const steps = pointer.split('/').slice(1).map(unescaped);
    return steps.reduce<unknown>((inner, step) => (inner as Json)[step], document) as Json;
  };
  const resolve = (schema: Json): Json =>
    typeof schema.$ref === 'string' ? resolve(at(schema.$ref.slice(1))) : schema;
  const errorChecks = errorNames.map((name) => checkAt(`/components/schemas/${name}`));
  return {
    operations: Object.entries(document.paths as Record<string, Json>).flatMap(([path, item]) =>
      methods
        .filter((method) => item[method])
        .map((method) => readOperation({ path, method, checkAt, resolve, at })),
    ),
    checkError: (value) =>
      errorChecks.some((check) => check(value) === null) ? null : errorChecks[0]!(value),
    resolve,
  };
}

const escaped = (step: string): string =>
  encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'));
const unescaped = (step: string): string =>
  decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');

function readOperation({
  path,
  method,
  checkAt,
  resolve,
  at,
}: {
  readonly path: string;
  readonly method: string;
  readonly checkAt: (pointer: string) => Check;
  readonly resolve: ApiDocument['resolve'];
  readonly at: (pointer: string) => Json;
}): ApiOperation {
  const pointer = `/paths/${escaped(path)}/${method}`;
  const { operationId, parameters = [], requestBody, responses } = at(pointer);
  const contentChecks = (holder: string, { content = {} }: Json) =>
    Object.entries(content as Record<string, Json>).map(([type, { schema }]) => {
      const schemaPointer = `${holder}/content/${escaped(type)}/schema`;
      const check = type === 'application/json' ? checkAt(schemaPointer) : () => null;
      return { type, schema: (schema ?? null) as Json | null, check };
    });
  return {
    id: String(operationId),
    method: method.toUpperCase(),
    path,
    parameters: (parameters as Json[]).map((given, nth) => {
      const { name, in: location, required, schema } = resolve(given);
      const own = given.$ref ? String(given.$ref).slice(1) : `${pointer}/parameters/${nth}`;
      return {
        name: String(name),
        location: location as Parameter['location'],
        required: required === true,
        schema: schema as Json,
        check: checkAt(`${own}/schema`),
      };
    }),
    body: requestBody ? contentChecks(`${pointer}/requestBody`, requestBody as Json)[0]! : null,
    responses: new Map(
      Object.entries(responses as Record<string, Json>).map(([status, response]) => {
        const checks = contentChecks(`${pointer}/responses/${status}`, response);
        return [Number(status), new Map(checks.map(({ type, check }) => [type, check]))] as const;
      }),
    ),
  };
}
