/**
 * Writes SQL with named parameters: `$owner` instead of `$2`. Names are replaced by positions once,
 * so the text of the statement stays constant; values are always bound, never interpolated.
 */
import assert from 'node:assert/strict';

export function namedParameters<Values extends Readonly<Record<string, unknown>>>(
  sql: string,
): { readonly text: string; bind(values: Values): unknown[] } {
  const names: string[] = [];
  const text = sql.replace(/\$([a-zA-Z]+)/g, (_, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  return {
    text,
    bind: (values) =>
      names.map((name) => {
        assert(name in values, `the statement has no value for $${name}`);
        return values[name];
      }),
  };
}
