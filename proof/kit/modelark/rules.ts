/**
 * What ModelArk checks in a create request, and the parameters that it reads from a prompt. Checks
 * return the rejection, or null.
 */
import type { DocumentedCode } from './errors.ts';

export type Item = {
  readonly type: string;
  readonly text?: string;
  readonly image_url?: { readonly url: string };
  readonly video_url?: { readonly url: string };
  readonly audio_url?: { readonly url: string };
  readonly role?: string;
};

export type ModelArkCreateBody = {
  readonly model: string;
  readonly content: readonly Item[];
  readonly resolution?: string;
  readonly ratio?: string;
  readonly duration?: number;
  readonly seed?: number;
  readonly generate_audio?: boolean;
  readonly watermark?: boolean;
  readonly return_last_frame?: boolean;
  readonly tools?: readonly { readonly type: string }[];
  readonly omni_reference_task_type?: string;
  readonly output_format?: string;
  readonly service_tier?: string;
  readonly priority?: number;
  readonly frames?: number;
  readonly camera_fixed?: boolean;
  readonly draft?: boolean;
  readonly execution_expires_after?: number;
  readonly safety_identifier?: string;
  readonly callback_url?: string;
};

export type RuleViolation = { readonly code: DocumentedCode; readonly message?: string };

type Abilities = {
  readonly resolutions: readonly string[];
  readonly durationMax: number;
  readonly counts: { readonly image: number; readonly video: number; readonly audio: number };
  readonly taskType: boolean;
  /** References of audio files alone. */
  readonly audioAlone: boolean;
};

const family20 = {
  durationMax: 15,
  counts: { image: 9, video: 3, audio: 3 },
  taskType: false,
  audioAlone: false,
};
const small = { ...family20, resolutions: ['480p', '720p'] };
const upstreamModels: Readonly<Record<string, Abilities>> = {
  'dreamina-seedance-2-5-260628': {
    resolutions: ['480p', '720p', '1080p'],
    durationMax: 30,
    counts: { image: 30, video: 10, audio: 10 },
    taskType: true,
    audioAlone: true,
  },
  'dreamina-seedance-2-0-260128': { ...family20, resolutions: ['480p', '720p', '1080p', '4k'] },
  'dreamina-seedance-2-0-fast-260128': small,
  'dreamina-seedance-2-0-mini-260615': small,
};

const ratios = ['16:9', '4:3', '1:1', '3:4', '9:16', '21:9', 'adaptive'];
const references = ['reference_image', 'reference_video', 'reference_audio'];

export function checkCreate(body: ModelArkCreateBody): RuleViolation | null {
  if (typeof body?.model !== 'string') return { code: 'MissingParameter.model' };
  const abilities = upstreamModels[body.model];
  if (!abilities) return { code: 'InvalidEndpointOrModel.NotFound' };
  if (!Array.isArray(body.content) || body.content.length === 0)
    return { code: 'MissingParameter' };
  const taskType = taskTypeOf(body.content);
  const violation = (name: string): RuleViolation => ({
    code: 'InvalidParameter',
    message: [
      `the parameter ${name} specified in the request is not valid`,
      `for model ${body.model} in ${taskType}`,
    ].join(' '),
  });

  return (
    checkContent(body.content, abilities) ??
    (within(body.resolution, abilities.resolutions) ? null : violation('resolution')) ??
    (within(body.ratio, ratios) ? null : violation('ratio')) ??
    (isDuration(body.duration, abilities) ? null : violation('duration')) ??
    (isWhole(body.seed, { min: -1, max: 2_147_483_647 }) ? null : violation('seed')) ??
    (isWhole(body.execution_expires_after, { min: 3600, max: 259_200 })
      ? null
      : violation('execution_expires_after')) ??
    (body.safety_identifier === undefined || body.safety_identifier.length <= 64
      ? null
      : violation('safety_identifier')) ??
    (isWhole(body.priority, { min: 0, max: 9 }) ? null : violation('priority')) ??
    (within(body.service_tier, ['default', 'flex']) ? null : violation('service_tier')) ??
    (within(body.output_format, ['mp4', 'mov']) ? null : violation('output_format')) ??
    checkUnsupported(body, abilities) ??
    (areBooleans(body) ? null : violation('generate_audio')) ??
    ((body.tools ?? []).every((tool) => tool.type === 'web_search') ? null : violation('tools')) ??
    checkTaskType(body, abilities)
  );
}

/** Parameters of older models, and those of 2.5 that the 2.0 models do not have. */
function checkUnsupported(body: ModelArkCreateBody, abilities: Abilities): RuleViolation | null {
  const names = [
    ...(body.service_tier === 'flex' ? ['service_tier'] : []),
    ...(['frames', 'camera_fixed'] as const).filter((name) => body[name] !== undefined),
    ...(abilities.taskType
      ? []
      : (['output_format', 'draft'] as const).filter((name) => body[name] !== undefined)),
  ];
  if (names.length === 0) return null;
  return {
    code: 'InvalidParameter.UnsupportedParameter',
    message: `the parameter ${names[0]} is not supported by model ${body.model}`,
  };
}

/** The roles of each type of content; none is allowed for text and for a single image. */
const rolesOf: Readonly<Record<string, readonly (string | undefined)[]>> = {
  text: [undefined],
  image_url: [undefined, 'first_frame', 'last_frame', 'reference_image'],
  video_url: ['reference_video'],
  audio_url: ['reference_audio'],
};

function checkContent(content: readonly Item[], abilities: Abilities): RuleViolation | null {
  const broken = (message: string): RuleViolation => ({
    code: 'InvalidParameter',
    message: `The parameter \`content\` specified in the request is not valid: ${message}`,
  });
  const unknown = content.find(({ type, role }) => !rolesOf[type]?.includes(role));
  if (unknown) return broken(`unexpected ${unknown.type} content with role ${unknown.role}`);
  if (content.some(({ type, text }) => type === 'text' && !text)) return broken('text is empty');
  const images = content.filter((item) => item.type === 'image_url');
  const roles = content.map((item) => item.role);
  if (images.length > 1 && images.some((item) => item.role === undefined)) {
    return broken('role must be specified for image contents.');
  }
  const firsts = roles.filter((role) => role === 'first_frame').length;
  if (firsts > 1) return broken(`expected at most one first frame image content but got ${firsts}`);
  if (firsts === 0 && roles.includes('last_frame')) {
    return broken('last frame image content requires a first frame image content');
  }
  const frames = roles.some((role) => role === 'first_frame' || role === 'last_frame');
  if (frames && roles.some((role) => references.includes(role ?? ''))) {
    return broken('first/last frame content cannot be mixed with reference media content');
  }
  for (const kind of ['image', 'video', 'audio'] as const) {
    const items = content.filter((item) => item.type === `${kind}_url`);
    if (items.length > abilities.counts[kind]) return broken(`too many ${kind} contents`);
    const url = (item: Item) => item[`${kind}_url`]?.url;
    if (items.some((item) => typeof url(item) !== 'string'))
      return broken(`${kind}_url is missing`);
  }
  const hasVisual = roles.some((role) => role === 'reference_image' || role === 'reference_video');
  if (roles.includes('reference_audio') && !hasVisual && !abilities.audioAlone) {
    return broken('reference_audio requires a reference image or video');
  }
  if (content.some((item) => item.video_url?.url.startsWith('data:'))) {
    return broken('reference_video must be provided as a web url');
  }
  return null;
}

function checkTaskType(body: ModelArkCreateBody, abilities: Abilities): RuleViolation | null {
  const type = body.omni_reference_task_type;
  if (type === undefined) return null;
  if (!abilities.taskType) return { code: 'InvalidParameter.UnsupportedParameter' };
  if (!['auto', 'reference', 'edit', 'extend'].includes(type)) return { code: 'InvalidParameter' };
  const video = body.content.some((item) => item.role === 'reference_video');
  const locked = body.ratio === 'adaptive' && (type !== 'edit' || body.duration === -1);
  const constrained = type === 'edit' || type === 'extend';
  return constrained && !(video && locked) ? { code: 'InvalidParameter.TaskTypeConstraint' } : null;
}

/** Model 2.5 accepts frames with a fixed ratio, and fails when the task runs. */
export function failsLater(body: ModelArkCreateBody): boolean {
  const frames = ['i2v', 'flf2v'].includes(taskTypeOf(body.content));
  return (
    upstreamModels[body.model]!.taskType && frames && (body.ratio ?? 'adaptive') !== 'adaptive'
  );
}

function taskTypeOf(content: readonly Item[]): 't2v' | 'i2v' | 'flf2v' | 'r2v' {
  if (content.some((item) => references.includes(item.role ?? ''))) return 'r2v';
  if (content.some((item) => item.role === 'last_frame')) return 'flf2v';
  return content.some((item) => item.type === 'image_url') ? 'i2v' : 't2v';
}

/**
 * Returns the parameters in a prompt, read as generously as any upstream might: after Unicode
 * normalization, with spaces, by long and short names. They would override the body.
 */
export function promptParameters(content: readonly Item[]): Readonly<Record<string, string>> {
  const prompt = content.find((item) => item.type === 'text')?.text ?? '';
  const plain = prompt.normalize('NFKC').replace(/\p{Cf}/gu, '');
  const found: Record<string, string> = {};
  for (const [, name, value] of plain.matchAll(/--\s*([a-z_]+)[\s=]+(\S+)/gi)) {
    found[name!.toLowerCase()] = value!;
  }
  return found;
}

const within = (value: string | undefined, allowed: readonly string[]) =>
  value === undefined || allowed.includes(value);

function isWhole(value: number | undefined, range: { min: number; max: number }): boolean {
  if (value === undefined) return true;
  return Number.isInteger(value) && value >= range.min && value <= range.max;
}

const isDuration = (value: number | undefined, abilities: Abilities) =>
  value === -1 || isWhole(value, { min: 4, max: abilities.durationMax });

const areBooleans = (body: ModelArkCreateBody) =>
  [body.generate_audio, body.watermark, body.return_last_frame].every(
    (value) => value === undefined || typeof value === 'boolean',
  );
