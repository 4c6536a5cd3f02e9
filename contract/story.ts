/**
 * Extension: stories. A shot that begins on the last frame of another one names the shots before it
 * in its metadata. Without schemas, so that the dashboard can import it.
 */

/** The metadata key. Its value has the IDs of all shots before, in order, separated by spaces. */
export const continuesKey = 'continues';

/** Of one story. Their IDs fit into the metadata. */
export const storyShotsMax = 10;

const taskIdPattern = /^task_[0-9a-z]{26}$/;

/**
 * Returns the IDs of the shots before, the first one first. Anything else in the value is the
 * customer's own: then the task is no part of a story.
 */
export function shotsBefore(metadata: Readonly<Record<string, string>> | null | undefined) {
  const ids = (metadata?.[continuesKey] ?? '').split(' ');
  const areShots = ids.length < storyShotsMax && ids.every((id) => taskIdPattern.test(id));
  return areShots && new Set(ids).size === ids.length ? ids : [];
}

/** The value for the shot after these. */
export const continuesOf = (ids: readonly string[]): string => ids.join(' ');
