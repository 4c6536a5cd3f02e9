/**
 * The input schemas of the models, one for each, as their API pages show them, with the messages
 * of Replicate's validator. What a schema cannot say, the model checks when it runs.
 */
export type Input = Readonly<Record<string, unknown>>;

export type InvalidField = {
  readonly type: string;
  readonly field: string;
  readonly description: string;
};

type Property =
  | { readonly type: 'string'; readonly maxLength?: number }
  | { readonly type: 'uri' | 'uris' | 'boolean' }
  | { readonly type: 'integer'; readonly minimum?: number; readonly maximum?: number }
  | { readonly type: 'choice'; readonly options: readonly string[] };

export type Schema = {
  readonly properties: Readonly<Record<string, Property>>;
  /** Most references of each kind, which only the descriptions of the inputs name. */
  readonly most: Readonly<Record<string, number>>;
};

const choice = (...options: readonly string[]): Property => ({ type: 'choice', options });

const seedance20: Schema = {
  properties: {
    prompt: { type: 'string', maxLength: 4_000 },
    image: { type: 'uri' },
    last_frame_image: { type: 'uri' },
    reference_images: { type: 'uris' },
    reference_videos: { type: 'uris' },
    reference_audios: { type: 'uris' },
    duration: { type: 'integer', minimum: -1, maximum: 15 },
    resolution: choice('480p', '720p', '1080p', '4k'),
    aspect_ratio: choice('16:9', '4:3', '1:1', '3:4', '9:16', '21:9', 'adaptive'),
    generate_audio: { type: 'boolean' },
    seed: { type: 'integer' },
  },
  most: { reference_images: 9, reference_videos: 3, reference_audios: 3 },
};

const seedance20Fast: Schema = {
  ...seedance20,
  properties: { ...seedance20.properties, resolution: choice('480p', '720p') },
};

const seedance25: Schema = {
  properties: {
    ...seedance20Fast.properties,
    prompt: { type: 'string' },
    duration: { type: 'integer', minimum: -1, maximum: 30 },
    watermark: { type: 'boolean' },
    output_format: choice('mp4', 'mov'),
  },
  most: { reference_images: 30, reference_videos: 10, reference_audios: 10 },
};

export const schemas: Readonly<Record<string, Schema>> = {
  'bytedance/seedance-2.5': seedance25,
  'bytedance/seedance-2.0': seedance20,
  'acme/seedance-fast': seedance20Fast,
  'acme/seedance-mini': seedance20Fast,
};

/** All fields that do not validate, in the order of the schema. */
export function findInvalidFields(input: Input, { properties }: Schema): InvalidField[] {
  const fields: InvalidField[] = [];
  if (input.prompt === undefined) {
    fields.push({ type: 'required', field: 'input', description: 'prompt is required' });
  }
  for (const name of Object.keys(input).filter((key) => !(key in properties))) {
    const description = `Additional property ${name} is not allowed`;
    fields.push({ type: 'additional_property_not_allowed', field: 'input', description });
  }
  for (const [name, property] of Object.entries(properties)) {
    if (input[name] === undefined) continue;
    const wrong = findProblem(name, input[name], property);
    if (wrong) fields.push({ type: wrong[0], field: `input.${name}`, description: wrong[1] });
  }
  return fields;
}

type Problem = readonly [type: string, description: string] | null;

const notOfType = (expected: string, value: unknown): Problem => {
  const given = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
  return ['invalid_type', `Invalid type. Expected: ${expected}, given: ${given}`];
};

/** A data URI is one too. */
const isUri = (value: unknown): boolean =>
  typeof value === 'string' && /^(https?:\/\/.|data:)/.test(value);

function findProblem(name: string, value: unknown, property: Property): Problem {
  switch (property.type) {
    case 'boolean':
      return typeof value === 'boolean' ? null : notOfType('boolean', value);
    case 'uri':
      return isUri(value) ? null : ['format', "Does not match format 'uri'"];
    case 'uris':
      if (!Array.isArray(value)) return notOfType('array', value);
      return value.every(isUri) ? null : ['format', "Does not match format 'uri'"];
    case 'string': {
      if (typeof value !== 'string') return notOfType('string', value);
      const { maxLength = Number.POSITIVE_INFINITY } = property;
      const description = `String length must be less than or equal to ${maxLength}`;
      return value.length > maxLength ? ['string_lte', description] : null;
    }
    case 'integer':
      return findNumberProblem(value, property);
    case 'choice': {
      const options = property.options.map((option) => `"${option}"`).join(', ');
      return property.options.includes(String(value))
        ? null
        : ['enum', `${name} must be one of the following: ${options}`];
    }
  }
}

function findNumberProblem(
  value: unknown,
  { minimum, maximum }: { readonly minimum?: number; readonly maximum?: number },
): Problem {
  if (typeof value !== 'number' || !Number.isInteger(value)) return notOfType('integer', value);
  if (minimum !== undefined && value < minimum) {
    return ['number_gte', `Must be greater than or equal to ${minimum}`];
  }
  return maximum !== undefined && value > maximum
    ? ['number_lte', `Must be less than or equal to ${maximum}`]
    : null;
}

/** Why the model fails when it runs, for inputs that its schema accepts; null if it does not. */
export function findRunError(input: Input, { most }: Schema): string | null {
  const count = (name: string) => ((input[name] ?? []) as readonly unknown[]).length;
  for (const [name, limit] of Object.entries(most)) {
    if (count(name) > limit) return `${name} supports up to ${limit} files`;
  }
  const references = Object.keys(most).reduce((sum, name) => sum + count(name), 0);
  if (references > 0 && (input.image || input.last_frame_image)) {
    return 'First and last frame images cannot be combined with references';
  }
  if (input.last_frame_image && !input.image) return 'last_frame_image requires image';
  const isAudioOnly = references > 0 && references === count('reference_audios');
  return isAudioOnly ? 'reference_audios requires at least one reference image or video' : null;
}
