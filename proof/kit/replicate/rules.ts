/** What Replicate accepts as a create, and its error responses. */
import { type FakeResponse, json } from '../fake-upstream.ts';
import {
  findInvalidFields,
  type Input,
  type InvalidField,
  type Schema,
  schemas,
} from './schemas.ts';

const problem = (status: number, title: string, detail: string): FakeResponse =>
  json(status, { title, detail, status });

/** Every field that does not validate is a line of the message and an entry of a list. */
function invalid(fields: readonly InvalidField[]): FakeResponse {
  const lines = fields.map(({ field, description }) =>
    field === '' ? `- ${description}\n` : `- ${field}: ${description}\n`,
  );
  return json(422, {
    detail: lines.join(''),
    status: 422,
    title: 'Input validation failed',
    invalid_fields: fields,
  });
}

export const errorResponses = {
  'wrong key': problem(401, 'Unauthenticated', 'You did not pass a valid authentication token'),
  'no such thing': json(404, { detail: 'The requested resource could not be found.' }),
  'no such version': problem(
    422,
    'Invalid version or not permitted',
    "The specified version does not exist (or perhaps you don't have permission to use it?)",
  ),
  throttled: {
    ...json(429, { detail: 'Request was throttled. Your rate limit resets in ~30s.' }),
    headers: { 'retry-after': '30' },
  },
  'throttled without a header': json(429, {
    detail: 'Request was throttled. Your rate limit resets in ~12s.',
  }),
  'no credit': problem(
    402,
    'Insufficient credit',
    'You have insufficient credit to run this model.',
  ),
  'content refused': problem(
    422,
    'Input validation failed',
    'The input was flagged as sensitive. Please try again with different inputs. (E005)',
  ),
  'input refused': invalid([
    {
      type: 'number_lte',
      field: 'input.duration',
      description: 'Must be less than or equal to 15',
    },
  ]),
  'server error': json(500, { detail: 'Internal server error' }),
  'bad gateway': { status: 502, body: '<html>502 Bad Gateway</html>' },
} as const satisfies Record<string, FakeResponse>;

/** The body of a create by model, version or deployment. */
export type ReplicateCreateBody = {
  readonly version?: unknown;
  readonly input?: unknown;
  readonly webhook?: unknown;
  readonly webhook_events_filter?: unknown;
};

const bodyFields = ['input', 'webhook', 'webhook_events_filter', 'stream'];
const events = ['start', 'output', 'logs', 'completed'];

/** Returns the rejection of a create without its version, or null when it is accepted. */
export function validate(
  body: ReplicateCreateBody,
  headers: Readonly<Record<string, unknown>>,
  model: string,
): FakeResponse | null {
  const deadline = headers['cancel-after'];
  if (deadline !== undefined && !/^\d+([smh]\d+)*[smh]?$/.test(String(deadline))) {
    return problem(400, 'Bad request', 'Cancel-After: not a duration');
  }
  const fields = [...findBodyProblems(body), ...findInputProblems(body, model)];
  return fields.length === 0 ? null : invalid(fields);
}

function findBodyProblems(body: ReplicateCreateBody): InvalidField[] {
  const { webhook, webhook_events_filter: filter } = body;
  const fields = Object.keys(body)
    .filter((name) => !bodyFields.includes(name))
    .map((name) => ({
      type: 'additional_property_not_allowed',
      field: '',
      description: `Additional property ${name} is not allowed`,
    }));
  if (webhook !== undefined && !/^https:\/\/./.test(String(webhook))) {
    const description = 'Must be a valid HTTPS URL';
    fields.push({ type: 'format', field: 'webhook', description });
  }
  const isFilter = Array.isArray(filter) && filter.every((event) => events.includes(event));
  if (filter !== undefined && !isFilter) {
    const description = `webhook_events_filter must be one of the following: ${events.join(', ')}`;
    fields.push({ type: 'enum', field: 'webhook_events_filter', description });
  }
  return fields;
}

function findInputProblems({ input }: ReplicateCreateBody, model: string): InvalidField[] {
  if (typeof input !== 'object' || input === null) {
    return [{ type: 'required', field: '', description: 'input is required' }];
  }
  return findInvalidFields(input as Input, schemas[model] as Schema);
}
