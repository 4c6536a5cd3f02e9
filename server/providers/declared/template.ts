/**
 * Checks the body template of a declared start: placeholders must be known, and those without which
 * something a customer pays for would be ignored must be present.
 */
import { isOptionPlaceholder } from '../toolkit/options.ts';
import { placeholdersIn, unknownPlaceholder } from '../toolkit/placeholders.ts';

const plainNames: readonly string[] = [
  ...['model', 'prompt', 'seed', 'seconds', 'resolution', 'aspect_ratio', 'size', 'width'],
  ...['height', 'sound', 'watermark', 'web_search', 'return_last_frame', 'generation_type'],
  ...['first_frame', 'last_frame', 'image_urls', 'video_urls', 'audio_urls', 'item'],
  ...['reference', 'callback_url', 'seconds_left'],
];
const numbered = /^(image|video|audio)_[1-9]\d?$/;

/** Returns what is wrong, as the end of a message that begins with the setting, or null. */
export function bodyProblem(body: unknown): string | null {
  const names = placeholdersIn(body);
  const unknown = [...names].find(
    (name) => !plainNames.includes(name) && !numbered.test(name) && !isOptionPlaceholder(name),
  );
  if (unknown !== undefined) return unknownPlaceholder(unknown, [...plainNames, 'image_1']);
  for (const name of ['prompt', 'seconds']) {
    if (!names.has(name)) return `lacks {{${name}}}: every video would have the same`;
  }
  return null;
}

/** As `bodyProblem`, for the resolution and the ratio. Some upstreams have no field for a ratio. */
export function shapeProblem(
  body: unknown,
  { ratios }: { readonly ratios?: Readonly<Record<string, string | null>> | undefined },
): string | null {
  const names = placeholdersIn(body);
  const hasPixels = names.has('size') || (names.has('width') && names.has('height'));
  if (hasPixels) return null;
  const needsRatio = !ratios || Object.values(ratios).some((name) => name !== null);
  if (names.has('resolution') && (names.has('aspect_ratio') || !needsRatio)) return null;
  return 'lacks {{resolution}} and {{aspect_ratio}}, or {{size}}, or {{width}} and {{height}}';
}
