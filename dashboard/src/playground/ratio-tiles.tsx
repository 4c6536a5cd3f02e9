/** A choice of aspect ratios, each drawn as a rectangle. */
import type { AspectRatio } from '@vidgen/contract/models.ts';
import type { ReactNode } from 'react';
import { ChoiceTiles } from './choice-tiles.tsx';
import classes from './playground.module.css';

const longSidePixels = 22;

export function RatioTiles({
  value,
  offered,
  note,
  error,
  onChange,
}: {
  readonly value: AspectRatio;
  readonly offered: readonly AspectRatio[];
  readonly note: string | null;
  readonly error: string | null;
  onChange(value: AspectRatio): void;
}): ReactNode {
  const choices = offered.toSorted(adaptiveFirst).map((ratio) => ({
    value: ratio,
    content: (
      <>
        <Shape ratio={ratio} />
        <span>{ratio === 'adaptive' ? 'Adaptive' : ratio}</span>
      </>
    ),
  }));
  return (
    <ChoiceTiles
      label="Aspect ratio"
      field="aspect_ratio"
      value={value}
      choices={choices}
      note={note}
      error={error}
      onChange={onChange}
    />
  );
}

/** `adaptive` is the default and always offered. */
const adaptiveFirst = (one: AspectRatio, other: AspectRatio): number =>
  Number(other === 'adaptive') - Number(one === 'adaptive');

/** Returns width divided by height, or null for `adaptive`. */
export function proportionOf(ratio: AspectRatio): number | null {
  const [width, height] = ratio.split(':').map(Number);
  return width && height ? width / height : null;
}

function Shape({ ratio }: { readonly ratio: AspectRatio }): ReactNode {
  const proportion = proportionOf(ratio);
  const [width, height] = [
    longSidePixels * Math.min(1, proportion ?? 1),
    longSidePixels / Math.max(1, proportion ?? 1),
  ];
  return (
    <span
      aria-hidden
      className={`${classes.shape} ${proportion === null ? classes.shapeAdaptive : ''}`}
      style={{ width, height }}
    />
  );
}
