/**
 * The rules of a create, implemented a second time from the text of the contract (docs/spec.md
 * 2.2, 4.3, 8) without any code of the service. Both must agree on every request.
 */

export type Facts = {
  /** Whether a URL may be a callback, and whether a material. */
  readonly urls: ReadonlyMap<string, { readonly callback: boolean; readonly material: boolean }>;
  /** The media at a URL; null without a response. */
  readonly media: ReadonlyMap<string, { readonly kind: Kind; readonly seconds: number } | null>;
};
type Kind = 'image' | 'video' | 'audio';

export type ExpectedVerdict =
  | {
      readonly accepted: true;
      readonly credits: number;
      readonly least: number;
      readonly ignored: readonly string[];
    }
  | {
      readonly accepted: false;
      /** `materials`: only a probe can tell. */
      readonly by: 'types' | 'rules' | 'materials';
      /** The fields that the message must name. */
      readonly fields: readonly string[];
      /** The lowest price, where only the materials are wrong. */
      readonly least: number | null;
    };

const perSecond: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'vidgen-2-5': { '480p': 4, '720p': 8, '1080p': 18 },
  'vidgen-2-0': { '480p': 3, '720p': 6, '1080p': 14, '4k': 30 },
  'vidgen-2-0-fast': { '480p': 2, '720p': 5 },
  'vidgen-2-0-mini': { '480p': 1, '720p': 3 },
};
const ratios = ['16:9', '4:3', '1:1', '3:4', '9:16', '21:9', 'adaptive'];
const modes = ['text-to-video', 'image-to-video', 'reference-to-video'];
const flags = ['generate_audio', 'watermark', 'web_search', 'return_last_frame'];
const lists = ['image_urls', 'video_urls', 'audio_urls'] as const;
const inputFields = [
  ...['prompt', 'generation_type', 'duration', 'aspect_ratio', 'resolution', 'seed'],
  ...flags,
  ...lists,
];

type Input = Readonly<Record<string, unknown>>;
type Generation = { readonly model: string; readonly input: Input; readonly used: Lists };
type Lists = Readonly<Record<(typeof lists)[number], readonly string[]>>;

/** A create probes materials; an estimate does not. */
export function expectedVerdict(
  body: unknown,
  { facts, probes }: { readonly facts: Facts; readonly probes: boolean },
): ExpectedVerdict {
  const types = wrongTypes(body);
  if (types.length > 0) return { accepted: false, by: 'types', fields: types, least: null };
  const request = body as { model?: string; callback_url?: string; input?: Input };
  const rules = brokenRules(request, facts);
  if (rules.length > 0) return { accepted: false, by: 'rules', fields: rules, least: null };
  const { model, input } = request as { model: string; input: Input };
  const used = usedLists(input);
  const known = (url: string) => (probes ? (facts.media.get(url) ?? null) : null);
  const generation = { model, input, used };
  const least = priceOf(generation, input.duration === -1 ? 4 : null);
  const broken = probes ? brokenMaterials(generation, known) : [];
  if (broken.length > 0) return { accepted: false, by: 'materials', fields: broken, least };
  const lengths = used.video_urls.map((url) => known(url)?.seconds ?? 30);
  const seconds = input.duration === -1 ? Math.min(30, Math.max(4, ...lengths)) : null;
  const ignored = lists
    .filter((list) => ((input[list] ?? []) as string[]).length > used[list].length)
    .map((list) => `input.${list}`);
  const credits = priceOf(generation, seconds);
  return { accepted: true, credits, least, ignored };
}

/** Wrong types and unknown fields. Nothing is coerced; null is not the same as absent. */
function wrongTypes(body: unknown): string[] {
  if (!isObject(body)) return ['body'];
  const unknown = Object.keys(body).filter(
    (name) => !['model', 'callback_url', 'input'].includes(name),
  );
  const texts = ['model', 'callback_url'].filter((name) => !isTextOrAbsent(body[name]));
  if (body.input !== undefined && !isObject(body.input)) return [...unknown, ...texts, 'input'];
  const input = (body.input ?? {}) as Input;
  const isWrong = (name: string): boolean => {
    const value = input[name];
    if (value === undefined) return false;
    if (flags.includes(name)) return typeof value !== 'boolean';
    if (name === 'duration' || name === 'seed') return !Number.isInteger(value);
    if (!lists.some((list) => list === name)) return typeof value !== 'string';
    return !Array.isArray(value) || value.some((one) => typeof one !== 'string');
  };
  return [
    ...unknown,
    ...texts,
    ...Object.keys(input).filter((name) => !inputFields.includes(name) || isWrong(name)),
  ];
}

const isObject = (value: unknown): value is Input =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isTextOrAbsent = (value: unknown): boolean =>
  value === undefined || typeof value === 'string';

function brokenRules(
  request: { model?: string; callback_url?: string; input?: Input },
  facts: Facts,
): string[] {
  const { model, callback_url: callback, input } = request;
  const broken: string[] = [];
  const prices = model === undefined ? undefined : perSecond[model];
  if (!prices) broken.push('model');
  if (callback !== undefined && !facts.urls.get(callback)?.callback) {
    broken.push('callback_url');
  }
  if (!input) return [...broken, 'input'];
  const { resolution = '720p', aspect_ratio: ratio = 'adaptive', seed } = input;
  const mode = modeOf(input);
  if (!isPrompt(input.prompt)) broken.push('prompt');
  if (!modes.includes(mode)) broken.push('generation_type');
  if (!ratios.includes(ratio as string)) broken.push('aspect_ratio');
  const resolutions = prices ? Object.keys(prices) : ['480p', '720p', '1080p', '4k'];
  if (!resolutions.includes(resolution as string)) broken.push('resolution');
  const isSeedless = model === 'vidgen-2-5' && seed !== undefined;
  if (isSeedless || !isWithin(seed ?? -1, [-1, 4_294_967_295])) broken.push('seed');
  if (prices) broken.push(...modelRules({ model: model!, input, ratio: ratio as string }));
  broken.push(...badUrls(input, facts));
  return broken;
}

/** Rules that need a known model (docs/spec.md 4.3). */
function modelRules({ model, input, ratio }: { model: string; input: Input; ratio: string }) {
  const broken: string[] = [];
  const is25 = model === 'vidgen-2-5';
  const mode = modeOf(input);
  const { image_urls: images, video_urls: videos, audio_urls: audios } = usedLists(input);
  const duration = (input.duration ?? 5) as number;
  const isEditing = is25 && mode === 'reference-to-video' && videos.length > 0 && duration === -1;
  const isFree = is25 && !modes.includes(mode) && duration === -1;
  if (!isEditing && !isFree && !isWithin(duration, [4, is25 ? 30 : 15])) broken.push('duration');
  if (ratio !== 'adaptive' && (isEditing || (is25 && mode === 'image-to-video'))) {
    broken.push('aspect_ratio');
  }
  if (mode === 'image-to-video' && !isWithin(images.length, [1, 2])) broken.push('image_urls');
  if (mode !== 'reference-to-video') return broken;
  if (images.length > (is25 ? 30 : 9)) broken.push('image_urls');
  if (videos.length > (is25 ? 10 : 3)) broken.push('video_urls');
  if (audios.length > (is25 ? 10 : 3)) broken.push('audio_urls');
  const total = images.length + videos.length + audios.length;
  if (total === 0) broken.push('image_urls');
  if (is25 && total > 50) broken.push('materials');
  if (!is25 && audios.length > 0 && images.length + videos.length === 0) broken.push('audio_urls');
  return broken;
}

function badUrls(input: Input, facts: Facts): string[] {
  const used = usedLists(input);
  return lists.filter((list) => used[list].some((url) => !facts.urls.get(url)?.material));
}

const modeOf = (input: Input): string => (input.generation_type ?? 'text-to-video') as string;

function usedLists(input: Input): Lists {
  const mode = modeOf(input);
  const given = (list: string) => (input[list] ?? []) as string[];
  const isReference = mode === 'reference-to-video';
  return {
    image_urls: isReference || mode === 'image-to-video' ? given('image_urls') : [],
    video_urls: isReference ? given('video_urls') : [],
    audio_urls: isReference ? given('audio_urls') : [],
  };
}

/** 1 to 10,000 characters after trimming, well-formed, and no NUL. */
function isPrompt(prompt: unknown): boolean {
  if (typeof prompt !== 'string' || prompt.includes('\0') || !prompt.isWellFormed()) return false;
  return isWithin([...prompt.trim()].length, [1, 10_000]);
}

const isWithin = (value: unknown, [min, max]: readonly [number, number]): boolean =>
  (value as number) >= min && (value as number) <= max;

/** docs/spec.md 4.3.4 to 4.3.6: only media that responded and have the right kind count. */
function brokenMaterials(
  { model, input, used }: Generation,
  known: (url: string) => { readonly kind: Kind; readonly seconds: number } | null,
): string[] {
  const is25 = model === 'vidgen-2-5';
  const kinds = { image_urls: 'image', video_urls: 'video', audio_urls: 'audio' } as const;
  return lists.filter((list) => {
    const found = used[list].map(known).filter((one) => one !== null);
    if (found.some(({ kind }) => kind !== kinds[list])) return true;
    if (list === 'image_urls') return false;
    const lengths = found.map(({ seconds }) => seconds);
    const isEditing = input.duration === -1 && list === 'video_urls';
    const isOff = is25 && !lengths.every((one) => isWithin(one, [isEditing ? 4 : 2, 30]));
    const sum = lengths.reduce((total, one) => total + one, 0);
    return isOff || sum > (is25 ? 30 : 15);
  });
}

/** Credits per second, half as much again with a reference video; rounded up, at least 1. */
function priceOf({ model, input, used }: Generation, seconds: number | null): number {
  const rate = perSecond[model]![(input.resolution ?? '720p') as string]!;
  const length = seconds ?? ((input.duration ?? 5) as number);
  const withVideo = used.video_urls.length > 0 ? 3 : 2;
  return Math.max(1, Math.ceil((rate * withVideo * Math.round(length * 1000)) / 2000));
}
