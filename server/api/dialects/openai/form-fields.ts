/** Forms of OpenAI's clients: names with brackets stand for objects and lists. */

/** `video[id]`, `reference_images[]` and `reference_images[][image_url]`. */
const nestedName = /^(\w{1,64})(\[\])?(?:\[([^[\]]{1,64})\])?$/;

type FieldKinds = {
  /** Objects in whose place a file or a plain URL may be, with the field that it is. */
  readonly objects?: Readonly<Record<string, string>>;
  /** A single value of these is a list, too. */
  readonly lists?: readonly string[];
};

/** Turns a form into what a JSON body would have. */
export function fieldsOfForm(body: unknown, { objects = {}, lists = [] }: FieldKinds): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const fields = new Map<string, unknown>();
  for (const [name, value] of Object.entries(body)) {
    const [, outer = name, brackets, inner] = nestedName.exec(name) ?? [];
    const known = fields.get(outer);
    if (brackets !== undefined || lists.includes(outer)) {
      const items = [value].flat().map((item) => (inner === undefined ? item : { [inner]: item }));
      fields.set(outer, [...(Array.isArray(known) ? known : []), ...items]);
    } else {
      const plain = typeof value === 'string' ? objects[outer] : undefined;
      const field = inner ?? plain;
      fields.set(outer, field === undefined ? value : { ...Object(known), [field]: value });
    }
  }
  return Object.fromEntries(fields);
}
