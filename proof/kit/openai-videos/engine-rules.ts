/**
 * What vLLM-Omni and SGLang accept as a create. Both ignore form fields that they do not know, and
 * both find out only later that a model cannot use a file.
 */
import { asJson, asRecord } from '../../../server/providers/toolkit/response-values.ts';
import type { FakeResponse } from '../fake-upstream.ts';
import { fastApiError, invalidField, vllmError } from './error-responses.ts';
import type { ReceivedCreate, ReceivedFile, Rules } from './received-create.ts';

const fileFields = {
  vllm: ['input_reference', 'input_references'],
  sglang: ['input_reference', 'video_reference'],
} as const;
const integers = ['seed', 'width', 'height', 'num_frames', 'num_inference_steps'];
/** Starlette's limit for a form field that is not a file. */
const fieldBytesMax = 1024 ** 2;
const filesMax = 12;

const filesIn = ({ files }: ReceivedCreate, field: string): readonly ReceivedFile[] =>
  files.filter((file) => file.field === field);

/** A text where a file belongs, a file where a text belongs, or no number. */
function validateTypes({ fields, files }: ReceivedCreate, dialect: 'vllm' | 'sglang') {
  const expected: readonly string[] = fileFields[dialect];
  const notAFile = expected.find((name) => name in fields);
  if (notAFile) {
    const message = 'Value error, Expected UploadFile, received: str';
    return invalidField(dialect, [notAFile, 'value_error', message]);
  }
  const notText = files.find(({ field }) => !expected.includes(field));
  if (notText && referenceFields.includes(notText.field)) {
    return invalidField(dialect, [notText.field, 'string_type', 'Input should be a valid string']);
  }
  const notInteger = integers.find(
    (name) => name in fields && !/^-?\d+$/.test(String(fields[name])),
  );
  return notInteger
    ? invalidField(dialect, [notInteger, 'int_parsing', 'Input should be a valid integer'])
    : null;
}

const referenceFields = ['image_reference', 'video_reference', 'audio_reference'];

/** `_parse_video_form` of vllm_omni/entrypoints/openai. */
export function validateVllm(create: ReceivedCreate, rules: Rules): FakeResponse | null {
  const { isForm, fields } = create;
  const wrong = (field: string, type: string, message: string) =>
    invalidField('vllm', [field, type, message]);
  if (Object.values(fields).some((value) => Buffer.byteLength(String(value)) > fieldBytesMax)) {
    return vllmError(400, 'There was an error parsing the body');
  }
  // JSON has no form fields, so every field is missing.
  if (!isForm || fields.prompt === undefined) return wrong('prompt', 'missing', 'Field required');
  const patterns = { seconds: /^[1-9]\d*$/, size: /^\d+x\d+$/ };
  for (const [field, pattern] of Object.entries(patterns)) {
    if (fields[field] !== undefined && !pattern.test(String(fields[field]))) {
      const message = `String should match pattern '${pattern.source}'`;
      return wrong(field, 'string_pattern_mismatch', message);
    }
  }
  return (
    validateTypes(create, 'vllm') ??
    validateJson(fields) ??
    validateCombination(create) ??
    validateModel(fields, rules) ??
    validateFiles(create, rules)
  );
}

function validateJson(fields: ReceivedCreate['fields']): FakeResponse | null {
  const values = [...referenceFields, 'extra_params']
    .filter((name) => name in fields)
    .map((name) => asJson(Buffer.from(String(fields[name]))));
  if (values.includes(undefined)) return vllmError(400, 'Invalid JSON in form field.');
  const [audio] = [jsonIn(fields.audio_reference)].flat() as [{ audio_url?: unknown } | undefined];
  return audio === undefined || /^(data:audio|https?:)/.test(String(audio.audio_url))
    ? null
    : vllmError(400, 'Invalid audio_reference.audio_url: must be an http(s) URL or data URL.');
}

const jsonIn = (value: unknown): unknown =>
  value === undefined ? undefined : asJson(Buffer.from(String(value)));

function validateCombination(create: ReceivedCreate): FakeResponse | null {
  const { fields } = create;
  const hasUrl = 'image_reference' in fields || 'video_reference' in fields;
  const hasSingle = filesIn(create, 'input_reference').length > 0;
  if (filesIn(create, 'input_references').length > 0 && (hasUrl || hasSingle)) {
    const others = 'input_reference, image_reference, or video_reference';
    return vllmError(400, `Provide input_references alone, without ${others}.`);
  }
  return hasSingle && hasUrl
    ? vllmError(400, 'Provide only one of input_reference, image_reference, or video_reference.')
    : null;
}

function validateModel({ model }: ReceivedCreate['fields'], rules: Rules): FakeResponse | null {
  if (model === undefined || model === rules.model) return null;
  const message = `Model mismatch: request specifies '${model}'`;
  return vllmError(400, `${message} but server is running '${rules.model}'.`);
}

function validateFiles(create: ReceivedCreate, { mixesReferences }: Rules): FakeResponse | null {
  const [single] = filesIn(create, 'input_reference');
  if (single && !isImage(single) && !isVideo(single)) {
    const message = 'Invalid input_reference: provided content is not a valid image or video.';
    return vllmError(400, message);
  }
  const references = filesIn(create, 'input_references');
  if (!mixesReferences) return null;
  if (references.length > filesMax) {
    return vllmError(400, `MiniMax H3 accepts at most ${filesMax} total references.`);
  }
  for (const file of references) {
    if (file.type.startsWith('image/')) {
      if (isImage(file)) continue;
      return vllmError(400, `Invalid uploaded image reference: ${file.name}`);
    }
    const isAudio = file.type.startsWith('audio/');
    const endings = isAudio ? /\.(wav|mp3)$/ : /\.(mp4|mov)$/;
    if (endings.test(file.name)) continue;
    const rule = isAudio ? 'audio must use a WAV or MP3' : 'videos must use an MP4 or MOV';
    return vllmError(400, `MiniMax H3 reference ${rule} file.`);
  }
  return null;
}

/** `create_video` of SGLang's video_api.py. It saves files without reading them. */
export function validateSglang(create: ReceivedCreate, rules: Rules): FakeResponse | null {
  const { isForm, fields } = create;
  if (!fields.prompt) {
    const missing = 'Invalid request body: prompt: Field required';
    return fastApiError(400, isForm ? 'prompt is required' : missing);
  }
  if (isForm && fields.seconds !== undefined && !/^\d+$/.test(String(fields.seconds))) {
    const message = 'Input should be a valid integer';
    return invalidField('sglang', ['seconds', 'int_parsing', message]);
  }
  // SGLang accepts a number in quotes.
  if (!isForm && fields.seconds !== undefined && !Number.isInteger(Number(fields.seconds))) {
    return fastApiError(400, 'Invalid request body: seconds: Input should be a valid integer');
  }
  const wrongType = isForm ? validateTypes(create, 'sglang') : null;
  if (wrongType) return wrongType;
  if (!rules.needsImage || filesIn(create, 'input_reference').length > 0) return null;
  const message = 'input_reference or reference_url is required for image-to-video generation';
  return fastApiError(400, message);
}

/** The error of a video that was accepted and cannot be made. */
export function lateFailure(create: ReceivedCreate, rules: Rules): object | null {
  const [image] = filesIn(create, 'input_reference');
  const [video] = filesIn(create, 'video_reference');
  if (rules.dialect === 'sglang') {
    if (image && video) return { message: 'Cosmos3 accepts either an image or a video, not both' };
    return image && !isImage(image) ? { message: 'cannot identify image file' } : null;
  }
  if (rules.dialect !== 'vllm') return null;
  const references = filesIn(create, 'input_references');
  // Every reference is a video to a model that does not mix them.
  if (!rules.mixesReferences && references.some((file) => !isVideo(file))) {
    return { code: 500, message: 'Invalid data found when processing input' };
  }
  const task = asRecord(jsonIn(create.fields.extra_params))?.task;
  const isTooMany = references.length > 2 && references.every(isImage) && task !== 'ref2va';
  return isTooMany ? { code: 400, message: 'MiniMax H3 FL2VA takes at most 2 images' } : null;
}

const headOf = ({ bytes }: ReceivedFile): string => bytes.toString('latin1', 0, 12);
const isImage = (file: ReceivedFile): boolean => /^(\x89PNG|\xff\xd8\xff|RIFF)/.test(headOf(file));
const isVideo = (file: ReceivedFile): boolean => headOf(file).slice(4, 8) === 'ftyp';
