/** Formats money. Small amounts have the decimals that a price per second needs. */
const formats = new Map<string, Intl.NumberFormat>();

export function formatMoney(amount: number | null, currency: string): string {
  if (amount === null) return 'Unknown';
  const isSmall = amount !== 0 && Math.abs(amount) < 1;
  const key = `${currency} ${isSmall}`;
  const format =
    formats.get(key) ??
    new Intl.NumberFormat('en', {
      ...{ style: 'currency', currency, minimumFractionDigits: 2 },
      maximumFractionDigits: isSmall ? 4 : 2,
    });
  formats.set(key, format);
  return format.format(amount);
}
