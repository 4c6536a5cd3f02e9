/** Reads the columns of a bill from the beginning of the file, and guesses two of them. */

/** As vendors name them. */
const usual = {
  operation: /^(operation|request|task|prediction|job|generation)?_?(id)?$/i,
  amount: /^(amount|cost|total|price|usd)(_?(usd|eur))?$/i,
};
const headCharacters = 10_000;

export async function billColumns(file: File): Promise<{
  readonly columns: readonly string[];
  readonly operation?: string | undefined;
  readonly amount?: string | undefined;
}> {
  const [line = ''] = (await file.slice(0, headCharacters).text()).split(/\r?\n/);
  const separator = [',', ';', '\t'].find((one) => line.includes(one)) ?? ',';
  const columns = line
    .split(separator)
    .map((name) => name.replace(/^\ufeff|"/g, '').trim())
    .filter((name, at, all) => name !== '' && all.indexOf(name) === at);
  return {
    columns,
    operation: columns.find((name) => usual.operation.test(name)),
    amount: columns.find((name) => usual.amount.test(name)),
  };
}
