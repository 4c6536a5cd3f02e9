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
