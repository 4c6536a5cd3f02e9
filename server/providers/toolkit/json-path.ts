/** Where something stands in an answer: `output.files[0].url`. Names and places, nothing more. */

export const jsonPathPattern = /^[\w-]+(\[\d{1,4}\])*(\.[\w-]+(\[\d{1,4}\])*)*$/;

/** Undefined where there is nothing at that place. */
export function valueAt(json: unknown, path: string): unknown {
  let found = json;
  for (const part of path.split(/[.[\]]+/).filter((one) => one !== '')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, part))
      return undefined;
    found = (found as Record<string, unknown>)[part];
  }
  return found;
}
