/**
 * The size to request: from the configuration, one of OpenAI's few, or that of our catalog, rounded
 * to blocks for open models.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { AspectRatio, ModelName, Resolution } from '@vidgen/contract/models.ts';
import { type Size, sizeOf } from '@vidgen/renderer/size.ts';
import { cannotMake, cannotMakeRatio } from '../toolkit/generation-input.ts';
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

/** OpenAI's larger model also makes 1080p, when the configuration says so. */
const fewSizes: SizeTable = { '720p': { '16:9': '1280x720', '9:16': '720x1280' } };
/** Only when configured: a model that cannot make it may crash a self-hosted server. */
const optInResolutions: readonly Resolution[] = ['4k'];

type SizeRequest = Pick<Generation, 'model' | 'resolution' | 'aspectRatio'>;
type SizeOptions = { readonly dialect: Dialect; readonly sizes: ConfiguredSizes };

function tableFor(request: SizeRequest, { dialect, sizes }: SizeOptions): SizeTable | undefined {
  return sizes[request.model] ?? (dialect.sizes === 'few' ? fewSizes : undefined);
}

/** Returns why there is no such size, as a message for the customer, or null. */
export function unsupportedSize(request: SizeRequest, options: SizeOptions): string | null {
  const { resolution, aspectRatio } = request;
  const table = tableFor(request, options);
  const ratios = table?.[resolution];
  if (table ? !ratios || Object.keys(ratios).length === 0 : optInResolutions.includes(resolution)) {
    return cannotMake('resolution', resolution);
  }
  if (!ratios || aspectRatio === 'adaptive' || ratios[aspectRatio]) return null;
  return cannotMakeRatio(request);
}

/** `adaptive` follows the first frame; without one it is 16:9. */
export function sizeFor(
  request: SizeRequest,
  firstFrame: Size | null,
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

/** The nearest ratio on a logarithmic scale. */
function nearest(sizes: readonly string[], shape: Size): string | null {
  const distance = (size: string): number => {
    const [width, height] = size.split('x').map(Number) as [number, number];
    return Math.abs(Math.log(width / height / (shape.width / shape.height)));
  };
  return sizes.toSorted((one, other) => distance(one) - distance(other))[0] ?? null;
}
