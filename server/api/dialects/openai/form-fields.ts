/**
 * OpenAI's clients send forms: `input_reference[image_url]` for a field of an object, and a file in
 * the place of the object. Both become what a JSON body would have.
 */

const nestedName = /^(\w{1,64})\[(\w{1,64})\]$/;

/** `fileField`: which field of the object `name` a file or a plain URL stands for. */
export function withObjectFields(
  body: unknown,
  { name, fileField }: { readonly name: string; readonly fileField: string },
): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const entries = Object.entries(body).map(([field, value]) => {
    const [, outer, inner] = nestedName.exec(field) ?? [];
    if (outer === name && inner !== undefined) return { inner, value };
    return field === name && typeof value === 'string'
      ? { inner: fileField, value }
      : { field, value };
  });
  const ofObject = entries.flatMap(({ inner, value }) => (inner ? [[inner, value]] : []));
  const others = entries.flatMap(({ field, value }) => (field ? [[field, value]] : []));
  if (ofObject.length === 0) return body;
  return { ...Object.fromEntries(others), [name]: Object.fromEntries(ofObject) };
}
