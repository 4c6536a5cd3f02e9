/**
 * The OpenAPI document as served: every operation with its parameters, body and responses, checked
 * by ajv, which is independent of the service's own schemas.
 */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

export type Json = Readonly<Record<string, unknown>>;

export type ApiParameter = {
  readonly name: string;
  readonly location: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: Json;
  /** Why a value does not match, or null. */
  readonly fault: (value: unknown) => string | null;
};

/** By content type: why a body does not match, or null. Empty without a body. */
type DescribedResponse = ReadonlyMap<string, (value: unknown) => string | null>;

export type ApiOperation = {
  readonly id: string;
  readonly method: string;
  /** As in the document: `/v1/tasks/{id}`. */
  readonly path: string;
  readonly parameters: readonly ApiParameter[];
  readonly body: Body | null;
  readonly responses: ReadonlyMap<number, DescribedResponse>;
};

type Body = {
  readonly type: string;
  readonly required: boolean;
  /** Null for bytes of any kind. */
  readonly schema: Json | null;
  readonly fault: (value: unknown) => string | null;
};

export type ApiDocument = {
  readonly operations: readonly ApiOperation[];
  /** Checks an error response, also on paths that the document does not have. */
  readonly errorFault: (value: unknown) => string | null;
  /** Checks an error in our own shape, which all paths without an endpoint have. */
  readonly ownErrorFault: (value: unknown) => string | null;
  /** Follows a `$ref`. */
  resolve(schema: Json): Json;
};

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

export async function fetchDocument(url: string): Promise<ApiDocument> {
  const response = await fetch(`${url}/openapi.json`);
  return readDocument((await response.json()) as Json);
}

function readDocument(document: Json): ApiDocument {
  const ajv = new Ajv2020({ strict: false, inlineRefs: false, code: { optimize: false } });
  addFormats.default(ajv);
  ajv.addSchema(document, 'document');
  const known = new Map<string, ValidateFunction>();
  // Compiled at the first use, and once for all references to the same schema.
  const faultAt = (pointer: string) => {
    const { $ref } = at(pointer);
    const refPointer = typeof $ref === 'string' ? $ref.slice(1) : pointer;
    return (value: unknown) => {
      const check = known.get(refPointer) ?? ajv.compile({ $ref: `document#${refPointer}` });
      known.set(refPointer, check);
      return check(value) ? null : ajv.errorsText(check.errors, { dataVar: 'value' });
    };
  };
  const at = (pointer: string): Json =>
    pointer
      .split('/')
      .slice(1)
      .reduce<unknown>((inner, step) => (inner as Json)[unescaped(step)], document) as Json;
  const resolve = (schema: Json): Json =>
    typeof schema.$ref === 'string' ? resolve(at(schema.$ref.slice(1))) : schema;
  const reader: Reader = { at, resolve, faultAt };
  const operations = Object.entries(document.paths as Record<string, Json>).flatMap(([path, all]) =>
    methods
      .filter((method) => all[method])
      .map((method) => operationAt(reader, { path, method, operation: all[method] as Json })),
  );
  // Ours, and those of the formats of other vendors.
  const errorNames = ['ErrorResponse', 'OpenAiError', 'OpenRouterError', 'ModelArkError'];
  const errorFaults = [...errorNames, 'McpResponse'].map((name) =>
    faultAt(`/components/schemas/${name}`),
  );
  const errorFault = (value: unknown) =>
    errorFaults.some((fault) => fault(value) === null) ? null : errorFaults[0]!(value);
  return { operations, errorFault, ownErrorFault: errorFaults[0]!, resolve };
}

type Reader = {
  readonly at: (pointer: string) => Json;
  readonly resolve: (schema: Json) => Json;
  readonly faultAt: (pointer: string) => (value: unknown) => string | null;
};

const escaped = (step: string): string =>
  encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'));
const unescaped = (step: string): string =>
  decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');

function operationAt(
  reader: Reader,
  { path, method, operation }: { path: string; method: string; operation: Json },
): ApiOperation {
  const pointer = `/paths/${escaped(path)}/${method}`;
  const parameters = ((operation.parameters ?? []) as Json[]).map((definition, at) =>
    parameterOf(reader, definition, `${pointer}/parameters/${at}`),
  );
  const responses = Object.entries(operation.responses as Record<string, Json>);
  return {
    id: String(operation.operationId),
    method: method.toUpperCase(),
    path,
    parameters,
    body: bodyOf(reader, operation.requestBody as Json | undefined, `${pointer}/requestBody`),
    responses: new Map(
      responses.map(([status, response]) => {
        const types = Object.keys((response.content ?? {}) as Json).map((type) => {
          const content = `${pointer}/responses/${status}/content/${escaped(type)}`;
          const isJson = type === 'application/json';
          return [type, isJson ? reader.faultAt(`${content}/schema`) : () => null] as const;
        });
        return [Number(status), new Map(types)] as const;
      }),
    ),
  };
}

function parameterOf(
  { resolve, faultAt }: Reader,
  definition: Json,
  pointer: string,
): ApiParameter {
  const refPointer = typeof definition.$ref === 'string' ? definition.$ref.slice(1) : pointer;
  const { name, in: where, required, schema } = resolve(definition);
  return {
    name: String(name),
    location: where as ApiParameter['location'],
    required: required === true,
    schema: schema as Json,
    fault: faultAt(`${refPointer}/schema`),
  };
}

function bodyOf(reader: Reader, definition: Json | undefined, pointer: string): Body | null {
  if (!definition) return null;
  const [[type, { schema = null }]] = Object.entries(
    definition.content as Record<string, { schema?: Json }>,
  ) as [[string, { schema?: Json | null }]];
  const fault = schema ? reader.faultAt(`${pointer}/content/${escaped(type)}/schema`) : () => null;
  return { type, required: definition.required === true, schema, fault };
}
