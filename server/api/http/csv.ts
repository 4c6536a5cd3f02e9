/**
 * CSV by RFC 4180, for spreadsheets: a header line, CRLF, quotes where needed. Text that a
 * spreadsheet would run as a formula is prefixed with an apostrophe.
 */
export type CsvColumn<Row> = readonly [name: string, of: (row: Row) => CsvValue];
type CsvValue = string | number | null;

export const csvLine = (values: readonly CsvValue[]): string =>
  `${values.map(csvCell).join(',')}\r\n`;

function csvCell(value: CsvValue): string {
  if (value === null) return '';
  // Numbers are safe, negative ones too. Only text can be a formula.
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
