/** Paths to a value in a response, with names and indexes only: `output.files[0].url`. */

export const jsonPathPattern = /^[\w-]+(\[\d{1,4}\])*(\.[\w-]+(\[\d{1,4}\])*)*$/;

/** Returns undefined when there is no value. */
export function valueAt(json: unknown, path: string): unknown {
  let found = json;
  for (const part of path.split(/[.[\]]+/).filter((one) => one !== '')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, part))
      return undefined;
    found = (found as Record<string, unknown>)[part];
  }
  return found;
}
