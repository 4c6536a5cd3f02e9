/** Compares a vendor's bill with what was expected, and applies it. */
import { Alert, FileInput, Group, Select, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { BillKind, BillRow, VendorBillReport } from '@vidgen/contract/margin.ts';
import { type ReactNode, useState } from 'react';
import { invalidate, postFile } from '../api/client.ts';
import { toast, useAsyncAction } from '../components/action.ts';
import { Form } from '../components/form.tsx';
import { TextLink } from '../components/links.tsx';
import { PlainTable } from '../components/plain-table.tsx';
import { formatMoney, formatNumber, Note } from '../components/text.tsx';
import { providersQuery } from '../providers/provider-queries.ts';

const labels = {
  matched: 'Matched',
  differs: 'Another amount',
  not_ours: 'Not ours',
  not_billed: 'Not billed',
  twice: 'Billed twice',
} as const satisfies Record<BillKind, string>;
const billKinds = Object.keys(labels) as BillKind[];
/** Of each kind; the file has all rows. */
const rowsMax = 20;

const nothing = {
  provider: null,
  operation: null,
  amount: null,
} as Readonly<Record<'provider' | 'operation' | 'amount', string | null>>;

/** The header, read from the beginning of the file as the service reads it. */
async function columnsOf(file: File): Promise<string[]> {
  const [line = ''] = (await file.slice(0, 10_000).text()).trimStart().split(/\r?\n/);
  const unquoted = line.replaceAll(/"[^"]*"/g, '');
  const countOf = (separator: string) => unquoted.split(separator).length;
  const [separator] = [',', ';', '\t'].toSorted((a, b) => countOf(b) - countOf(a));
  const fields = line.match(new RegExp(`"[^"]*"|[^"${separator}]+`, 'g')) ?? [];
  const names = fields.map((name) => name.replaceAll('"', '').trim());
  return [...new Set(names.filter((name) => name !== ''))];
}

export function BillForm() {
  const { data: providers } = useQuery(providersQuery);
  const [file, setFile] = useState<File | null>(null);
  const [columns, setColumns] = useState<readonly string[]>([]);
  const [chosen, setChosen] = useState(nothing);
  const [report, setReport] = useState<VendorBillReport | null>(null);
  const send = async (apply: boolean) => {
    const query = { ...chosen, apply };
    setReport(await postFile<VendorBillReport>('/admin/vendor-bills', query, file!));
    if (!apply) return;
    toast('Costs of the bill applied');
    await invalidate('/admin/margin');
  };
  const compare = useAsyncAction(() => send(false));
  const apply = useAsyncAction(() => send(true));
  const chooseFile = async (next: File | null) => {
    setFile(next);
    setReport(null);
    setColumns(next ? await columnsOf(next) : []);
    setChosen({ ...nothing, provider: chosen.provider });
  };
  const select = (name: keyof typeof chosen, label: string, data: readonly string[]) => (
    <Select
      label={label}
      data={data}
      placeholder={name === 'provider' ? 'Choose one' : 'By its name'}
      value={chosen[name]}
      onChange={(value) => {
        setChosen({ ...chosen, [name]: value });
        setReport(null);
      }}
      clearable={name !== 'provider'}
      flex={1}
      miw={150}
    />
  );
  const own = providers?.items.filter(({ source }) => source !== 'built-in') ?? [];
  const names = own.map(({ name }) => name);
  return (
    <Form
      submit={report ? apply : compare}
      action={report ? applyLabel(report) : 'Compare'}
      errorTitle={report ? 'Couldn’t apply the bill' : 'Couldn’t compare the bill'}
      isDisabled={report ? newRows(report) === 0 : file === null || chosen.provider === null}
    >
      <Note>
        Upload the bill as CSV with a row for each video. No cost changes until you apply it.
      </Note>
      <FileInput
        label="Bill"
        placeholder="Choose a CSV file"
        accept=".csv,text/csv"
        value={file}
        onChange={(next) => void chooseFile(next)}
      />
      <Group gap="sm" align="flex-end">
        {select('provider', 'Provider', names)}
        {select('operation', 'Operation column', columns)}
        {select('amount', 'Amount column', columns)}
      </Group>
      {report ? <Report report={report} /> : null}
    </Form>
  );
}

const newRows = ({ applicable, applied }: VendorBillReport): number =>
  applied > 0 ? 0 : applicable;

function applyLabel(report: VendorBillReport): string {
  const rows = newRows(report);
  if (rows > 0) return rows === 1 ? 'Apply 1 cost' : `Apply ${formatNumber(rows)} costs`;
  if (report.applied > 0) return 'Applied';
  return report.applied_before > 0 ? 'Applied before' : 'Nothing to apply';
}

function Report({ report }: { readonly report: VendorBillReport }) {
  const { currency } = report;
  const odd = billKinds.filter((kind) => kind !== 'matched' && report[kind].rows > 0);
  return (
    <Stack gap="sm">
      <PlainTable
        label="Comparison"
        minWidth={420}
        columns={['Rows', 'Count', 'Billed', 'Expected']}
        figuresFrom={1}
        rows={billKinds.map((kind) => ({
          id: kind,
          cells: [
            labels[kind],
            formatNumber(report[kind].rows),
            formatMoney(report[kind].billed, currency),
            formatMoney(report[kind].expected, currency),
          ],
        }))}
      />
      {odd.length === 0 ? (
        <Alert color="green">Every row matches, and nothing is missing.</Alert>
      ) : (
        <PlainTable
          label="Rows to look at"
          minWidth={520}
          columns={['Operation', 'Why', 'Task', 'Billed', 'Expected']}
          figuresFrom={3}
          rows={odd
            .flatMap((kind) => report[kind].first.slice(0, rowsMax))
            .map((row) => ({
              id: `${row.kind} ${row.line} ${row.operation}`,
              cells: cells(row, currency),
            }))}
        />
      )}
    </Stack>
  );
}

const cells = (row: BillRow, currency: string): ReactNode[] => [
  row.operation,
  labels[row.kind],
  row.task_id === null ? (
    '–'
  ) : (
    <TextLink key="task" to="/tasks/$task" params={{ task: row.task_id }} fz="sm">
      Open task
    </TextLink>
  ),
  row.billed === null ? '–' : formatMoney(row.billed, currency),
  row.expected === null ? '–' : formatMoney(row.expected, currency),
];
