/** The values of a field of each item, or rows of several fields, to compare on one line. */
export const pluck = <Item>(
  items: Iterable<Item>,
  first: keyof Item,
  ...more: readonly (keyof Item)[]
): unknown[] =>
  Array.from(items, (item) =>
    more.length === 0 ? item[first] : [first, ...more].map((name) => item[name]),
  );
