/** What the charts share: their card, their axis of days, and the color of a model. */
import { modelNames } from '@vidgen/contract/models.ts';
import type { ReactNode } from 'react';
import { formatDay } from './format.tsx';
import { SectionCard } from './section-card.tsx';
import { Note } from './texts.tsx';

export const chartColors = [
  'indigo.6',
  'teal.6',
  'orange.6',
  'grape.6',
  'cyan.6',
  'pink.6',
  'lime.7',
] as const;

/** Of the name alone, so that a model has one color on every page; the contract's differ. */
export function modelColor(model: string): string {
  const names: readonly string[] = modelNames;
  const listed = names.indexOf(model);
  const letters = [...model].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 9973, 7);
  return chartColors[(listed < 0 ? letters : listed) % chartColors.length]!;
}

export const chartProps = {
  h: 220,
  role: 'img',
  dataKey: 'day',
  withLegend: true,
  xAxisProps: {
    tickFormatter: formatDay,
    minTickGap: 24,
    interval: 'equidistantPreserveStart',
  },
} as const;

export function ChartCard(props: {
  readonly title: string;
  readonly isEmpty: boolean;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <SectionCard title={props.title}>
      {props.isEmpty ? <Note>No data for this period.</Note> : props.children}
    </SectionCard>
  );
}
