/**
 * CSV by RFC 4180, for spreadsheets: a header line, CRLF, quotes where needed. Text that a
 * spreadsheet would run as a formula is prefixed with an apostrophe.
 */

/** Full-width signs count like ASCII ones (OWASP, CSV Injection). */
const formulaStart = /^[=+\-@\t\r\n\uff0b\uff0d\uff1d\uff20]/;
/**
 * Where the list separator of the system is a semicolon, a spreadsheet splits there, and the rest
 * begins a cell.
 */
const formulaAfterSeparator = /([;\t\r\n] *["']?)(?=[=+\-@\uff0b\uff0d\uff1d\uff20])/g;

export type CsvColumn<Row> = readonly [name: string, of: (row: Row) => CsvValue];
type CsvValue = string | number | null;

/** The form that spreadsheets parse. */
const isoTimestamp = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** Columns of the fields with these names. Those that end in `_at` have Unix seconds. */
export const fieldColumns = <Name extends string>(
  ...names: readonly Name[]
): CsvColumn<Readonly<Record<Name, CsvValue>>>[] =>
  names.map((name) => [
    name,
    ({ [name]: value }) =>
      name.endsWith('_at') && typeof value === 'number' ? isoTimestamp(value) : value,
  ]);

export const csvLine = (values: readonly CsvValue[]): string =>
  `${values.map(csvCell).join(',')}\r\n`;

function csvCell(value: CsvValue): string {
  if (value === null) return '';
  // Numbers are safe, negative ones too. Only text can be a formula.
  if (typeof value === 'number') return String(value);
  const inner = value.replace(formulaAfterSeparator, "$1'");
  const text = formulaStart.test(inner) ? `'${inner}` : inner;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
