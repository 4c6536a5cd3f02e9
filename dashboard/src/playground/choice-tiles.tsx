/**
 * A choice between a few tiles. Native radio inputs, so that arrow keys and screen readers work.
 */
import { Input, Text } from '@mantine/core';
import type { AspectRatio } from '@vidgen/contract/models.ts';
import { type ReactNode, useId } from 'react';
import type { FormField } from './form-problems.ts';
import classes from './playground.module.css';

type Choice<Value extends string> = {
  readonly value: Value;
  readonly content: ReactNode;
  /** The accessible name, when the content is not enough. */
  readonly name?: string;
};

export function ChoiceTiles<Value extends string>(props: {
  readonly label: string;
  readonly field: FormField;
  readonly value: Value;
  readonly choices: readonly Choice<Value>[];
  /** Shown next to the label. */
  readonly note?: string | null;
  readonly error?: string | null;
  onChange(value: Value): void;
}): ReactNode {
  const { label, field, value, choices, note, error, onChange } = props;
  const id = useId();
  return (
    <fieldset className={classes.fieldset} data-field={field}>
      <Text component="legend" fz="sm" fw={500} mb={6} p={0}>
        {label}
        {note ? (
          <Text span c="dimmed" fz="xs" fw={400} ml={8}>
            {note}
          </Text>
        ) : null}
      </Text>
      <div className={classes.tiles}>
        {choices.map((choice) => (
          <label key={choice.value} className={classes.tile}>
            <input
              type="radio"
              name={id}
              value={choice.value}
              checked={choice.value === value}
              onChange={() => onChange(choice.value)}
              aria-label={choice.name}
            />
            {choice.content}
          </label>
        ))}
      </div>
      {error ? <Input.Error mt={6}>{error}</Input.Error> : null}
    </fieldset>
  );
}

const longSidePixels = 22;

/** Returns width divided by height, or null for `adaptive`. */
export function proportionOf(ratio: AspectRatio): number | null {
  const [width, height] = ratio.split(':').map(Number);
  return width && height ? width / height : null;
}

/** An aspect ratio, drawn as a rectangle. */
export function Shape({ ratio }: { readonly ratio: AspectRatio }): ReactNode {
  const proportion = proportionOf(ratio);
  const width = longSidePixels * Math.min(1, proportion ?? 1);
  const height = longSidePixels / Math.max(1, proportion ?? 1);
  return (
    <span
      aria-hidden
      className={`${classes.shape} ${proportion === null ? classes.shapeAdaptive : ''}`}
      style={{ width, height }}
    />
  );
}
