/**
 * How many pixels to ask for: a size of the configuration, one of the few that OpenAI has, or the
 * one of our own catalogue, in blocks where the models want that.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { AspectRatio, ModelName, Resolution } from '@vidgen/contract/models.ts';
import { sizeOf } from '@vidgen/renderer/size.ts';
import type { Dialect } from './dialect.ts';

export const ratioNames = [
  '16:9',
  '4:3',
  '1:1',
  '3:4',
  '9:16',
  '21:9',
] as const satisfies readonly Exclude<AspectRatio, 'adaptive'>[];
type Ratio = (typeof ratioNames)[number];

/** Sizes as they are sent, `1280x720`. */
type SizeTable = Partial<Record<Resolution, Partial<Record<Ratio, string>>>>;
export type ConfiguredSizes = Partial<Record<ModelName, SizeTable>>;

type Shape = { readonly width: number; readonly height: number };

/** Its larger model makes 1080p too: that is for the configuration to say. */
const fewSizes: SizeTable = { '720p': { '16:9': '1280x720', '9:16': '720x1280' } };
/** Not without being told: a model that cannot do it would bring a server of one's own down. */
const optInResolutions: readonly Resolution[] = ['4k'];

type SizeRequest = Pick<Generation, 'model' | 'resolution' | 'aspectRatio'>;
type SizeOptions = { readonly dialect: Dialect; readonly sizes: ConfiguredSizes };

function tableFor(request: SizeRequest, { dialect, sizes }: SizeOptions): SizeTable | undefined {
  return sizes[request.model] ?? (dialect.sizes === 'few' ? fewSizes : undefined);
}

/** Why there is no such size, in words for the customer. */
export function unsupportedSize(request: SizeRequest, options: SizeOptions): string | null {
  const { resolution, aspectRatio } = request;
  const table = tableFor(request, options);
  const ratios = table?.[resolution];
  if (table ? !ratios || Object.keys(ratios).length === 0 : optInResolutions.includes(resolution)) {
    return `input.resolution ${resolution} cannot be made`;
  }
  if (!ratios || aspectRatio === 'adaptive' || ratios[aspectRatio]) return null;
  return `input.aspect_ratio ${aspectRatio} cannot be made at ${resolution}`;
}

/** `adaptive` follows the first frame; without one it is as wide as films are. */
export function sizeFor(
  request: SizeRequest,
  firstFrame: Shape | null,
  options: SizeOptions,
): string | null {
  const table = tableFor(request, options);
  if (!table) {
    const { width, height } = sizeOf(request, firstFrame);
    const { block } = options.dialect;
    return [width, height].map((side) => Math.round(side / block) * block).join('x');
  }
  const ratios = table[request.resolution] ?? {};
  if (request.aspectRatio !== 'adaptive') return ratios[request.aspectRatio] ?? null;
  return nearest(Object.values(ratios), firstFrame ?? { width: 16, height: 9 });
}

/** Twice as wide is as far away as half as wide. */
function nearest(sizes: readonly string[], shape: Shape): string | null {
  const distance = (size: string): number => {
    const [width, height] = size.split('x').map(Number) as [number, number];
    return Math.abs(Math.log(width / height / (shape.width / shape.height)));
  };
  return sizes.toSorted((one, other) => distance(one) - distance(other))[0] ?? null;
}
