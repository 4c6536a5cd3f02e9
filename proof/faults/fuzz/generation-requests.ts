/**
 * Creates that are valid for their model and generation type, with up to two fields changed.
 * Whether the result is valid is decided by `reference-rules.ts`.
 */
import fc from 'fast-check';
import { badCallbacks, badMaterials, callbacks, seconds } from './media.ts';

export type GenerationRequest = {
  readonly endpoint: Endpoint;
  readonly caller: 'API key' | 'test key' | 'poor key';
  readonly body: unknown;
  /** Sent again with the same Idempotency-Key, and then with another body. */
  readonly isRepeated: boolean;
};
const endpoints = ['create', 'estimate', 'playground', 'playground estimate'] as const;
export type Endpoint = (typeof endpoints)[number];

const models = ['vidgen-2-5', 'vidgen-2-0', 'vidgen-2-0-fast', 'vidgen-2-0-mini'] as const;
const modes = ['text-to-video', 'image-to-video', 'reference-to-video'] as const;
const ratios = ['16:9', '4:3', '1:1', '3:4', '9:16', '21:9', 'adaptive'];
const resolutions = ['480p', '720p', '1080p', '4k'];
const resolutionsOf: Readonly<Record<string, readonly string[]>> = {
  'vidgen-2-5': ['480p', '720p', '1080p'],
  'vidgen-2-0': resolutions,
  'vidgen-2-0-fast': ['480p', '720p'],
  'vidgen-2-0-mini': ['480p', '720p'],
};

const oneOf = <Value>(...values: readonly Value[]): fc.Arbitrary<Value> =>
  fc.constantFrom(...values);
const perhaps = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.option(value, { nil: undefined, freq: 2 });

const urls = (names: readonly string[], maxLength: number) =>
  fc.array(oneOf(...names), { maxLength }) as fc.Arbitrary<readonly string[]>;
const images = (maxLength: number) => urls(['@@image', '@@image', '@@missing'], maxLength);
const short = (kind: string, maxLength: number) =>
  urls([`@@${kind}3`, `@@${kind}5`, `@@${kind}10`, '@@missing'], maxLength);

function inputFor(model: string, mode: string): fc.Arbitrary<Record<string, unknown>> {
  const is25 = model === 'vidgen-2-5';
  const isReference = mode === 'reference-to-video';
  const lengths = fc.integer({ min: 4, max: is25 ? 30 : 15 });
  return fc.record({
    prompt: oneOf('A paper boat', ' x ', '漢😀', 'x'.repeat(10_000), '😀'.repeat(10_000)),
    generation_type: mode === 'text-to-video' ? perhaps(oneOf(mode)) : oneOf(mode),
    image_urls:
      mode === 'image-to-video'
        ? images(2).map((list) => (list.length === 0 ? ['@@image'] : list))
        : perhaps(images(is25 ? 12 : 9)),
    video_urls: perhaps(short('video', 3)),
    audio_urls: perhaps(short('audio', 2)),
    duration:
      is25 && isReference
        ? perhaps(fc.oneof(lengths, oneOf(-1)))
        : perhaps(fc.oneof(lengths, oneOf(4, is25 ? 30 : 15))),
    aspect_ratio:
      is25 && mode !== 'text-to-video' ? perhaps(oneOf('adaptive')) : perhaps(oneOf(...ratios)),
    resolution: perhaps(oneOf(...resolutionsOf[model]!)),
    seed: is25 ? oneOf(undefined) : perhaps(oneOf(-1, 0, -0, 1, 4_294_967_295)),
    generate_audio: perhaps(fc.boolean()),
    watermark: perhaps(fc.boolean()),
    web_search: perhaps(fc.boolean()),
    return_last_frame: perhaps(fc.boolean()),
  });
}

const anyMaterials = ['image', 'missing', ...seconds.flatMap((at) => [`video${at}`, `audio${at}`])];
const anyList = fc.oneof(
  urls(
    anyMaterials.map((name) => `@@${name}`),
    4,
  ),
  urls(badMaterials, 1),
  fc
    .record({
      name: oneOf('@@image', '@@video3', '@@audio3'),
      length: oneOf(0, 3, 4, 9, 10, 11, 30, 31),
    })
    .map(({ name, length }) => Array<string>(length).fill(name)),
  oneOf<unknown>(null, '@@image', [1], [null], {}, [['@@image']], undefined),
);
const foreign = oneOf<unknown>(null, '', 'x', '5', 5.5, true, [], {}, 2 ** 53, undefined);

/** The fields and their new values; undefined removes a field. */
const changes: readonly (readonly [string, fc.Arbitrary<unknown>])[] = [
  ['model', fc.oneof(oneOf<unknown>(...models, 'vidgen-3', 'VIDGEN-2-5', 'vidgen-2-5 '), foreign)],
  ['callback_url', fc.oneof(oneOf(...callbacks, ...badCallbacks), foreign)],
  ['input', fc.oneof(oneOf<unknown>([[]]), foreign)],
  ['input.prompt', fc.oneof(oneOf(' ', 'a\0b', '\ud800', 'x'.repeat(10_001), '\u3000'), foreign)],
  ['input.generation_type', fc.oneof(oneOf(...modes, 'video-editing'), foreign)],
  ['input.image_urls', anyList],
  ['input.video_urls', anyList],
  ['input.audio_urls', anyList],
  // The limits of some model or generation type, and the values beside them.
  ['input.duration', oneOf(-2, -1, 0, 3, 4, 15, 16, 30, 31)],
  ['input.duration', fc.oneof(fc.integer({ min: -3, max: 40 }), oneOf(1e300), foreign)],
  ['input.aspect_ratio', fc.oneof(oneOf(...ratios, '2:1', '16/9', 'Adaptive'), foreign)],
  ['input.resolution', fc.oneof(oneOf(...resolutions, '8k', '720P', '720'), foreign)],
  ['input.generate_audio', foreign],
  ['input.watermark', foreign],
  ['input.web_search', foreign],
  ['input.return_last_frame', foreign],
  ['input.seed', fc.oneof(oneOf(-1, -2, 0, 7, 4_294_967_295, 4_294_967_296), foreign)],
  ['extra', oneOf<unknown>(1, null)],
  ['input.extra', oneOf<unknown>(1, null)],
  ['input.model', oneOf<unknown>('vidgen-2-5')],
  ['duration', oneOf<unknown>(5)],
];
const anyChange = fc.oneof(
  ...changes.map(([field, value]) => fc.record({ field: fc.constant(field), value })),
);

export const anyGeneration: fc.Arbitrary<GenerationRequest> = fc
  .record({ model: oneOf(...models), mode: oneOf(...modes) })
  .chain(({ model, mode }) =>
    fc.record({
      endpoint: oneOf(...endpoints.slice(0, 1), ...endpoints.slice(0, 1), ...endpoints),
      caller: oneOf('API key', 'API key', 'API key', 'test key', 'poor key'),
      body: fc
        .record({
          right: fc.record({
            model: fc.constant(model),
            callback_url: perhaps(oneOf(...callbacks)),
            input: inputFor(model, mode),
          }),
          changes: fc.oneof(
            fc.constant([]),
            fc.array(anyChange, { minLength: 1, maxLength: 1 }),
            fc.array(anyChange, { minLength: 1, maxLength: 2 }),
          ),
        })
        .map(({ right, changes: applied }) =>
          (applied as AppliedChange[]).reduce(withChange, right),
        ),
      isRepeated: oneOf(false, false, false, false, false, false, true),
    }),
  );

type Changing = Readonly<Record<string, unknown>>;
type AppliedChange = { readonly field: string; readonly value: unknown };

/** Undefined values disappear in JSON. */
function withChange(body: Changing, { field, value }: AppliedChange): Changing {
  const [first, second] = field.split('.') as [string, string?];
  if (second === undefined) return { ...body, [first]: value };
  const { input } = body;
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return body;
  return { ...body, input: { ...input, [second]: value } };
}
