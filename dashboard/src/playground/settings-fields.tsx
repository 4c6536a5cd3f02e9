/** Model, resolution, duration and aspect ratio, limited by the catalog; some as tiles. */
import { Group, Input, NumberInput, Select, Slider, Stack, Text } from '@mantine/core';
import type { AspectRatio } from '@vidgen/contract/models.ts';
import type { Model } from '@vidgen/contract/models-response.ts';
import { type ReactNode, useId } from 'react';
import { formatNumber, Note, SmallNote } from '../components/text.tsx';
import { lengthsText } from '../components/value-labels.ts';
import type { FormField } from './form-problems.ts';
import { adaptForm, fieldsOf } from './generation-form.ts';
import classes from './playground.module.css';
import type { FieldsProps } from './use-playground.ts';

export function SettingsFields(props: FieldsProps) {
  const { form, model, models, change, pickModel, errorOf } = props;
  const fields = fieldsOf(model, form);
  const isSourceRatio = fields.aspectRatios.every((ratio) => ratio === 'adaptive');
  const isPerSecond = fields.resolutions.some(({ creditsPerSecond }) => creditsPerSecond > 0);
  const unit = isPerSecond ? 'credits per second' : 'credits per video';
  return (
    <Stack gap="md">
      <div data-field="model">
        <Select
          label="Model"
          data={models.map(({ id }) => ({ value: id, label: id }))}
          value={model.id}
          checkIconPosition="right"
          error={errorOf('model')}
          onChange={(id) => {
            const chosen = models.find((one) => one.id === id);
            if (chosen) pickModel(chosen);
          }}
          renderOption={({ option }) => (
            <ModelOption model={models.find(({ id }) => id === option.value) ?? model} />
          )}
        />
      </div>
      <ChoiceTiles
        label="Resolution"
        field="resolution"
        note={unit}
        value={form.resolution}
        error={errorOf('resolution')}
        choices={fields.resolutions.map(({ value, creditsPerSecond, creditsPerTask }) => {
          const added = creditsPerTask > 0 ? ` + ${creditsPerTask} per video` : '';
          const price = isPerSecond ? `${creditsPerSecond}${added}` : `${creditsPerTask}`;
          return {
            value,
            name: `${value}, ${price} ${unit}`,
            content: (
              <>
                <span>{value}</span>
                <Text span c="dimmed" fz="xs" lh={1} fw={400}>
                  {price}
                </Text>
              </>
            ),
          };
        })}
        onChange={(resolution) => change({ ...form, resolution })}
      />
      <DurationField {...props} />
      <ChoiceTiles
        label="Aspect ratio"
        field="aspect_ratio"
        note={isSourceRatio ? 'Matches the source image or video.' : null}
        value={form.aspectRatio}
        error={errorOf('aspect_ratio')}
        choices={fields.aspectRatios.toSorted(adaptiveFirst).map((ratio) => ({
          value: ratio,
          content: (
            <>
              <Shape ratio={ratio} />
              <span>{ratio === 'adaptive' ? 'Adaptive' : ratio}</span>
            </>
          ),
        }))}
        onChange={(aspectRatio) => change({ ...form, aspectRatio })}
      />
    </Stack>
  );
}

/** `adaptive` is the default where it is offered. */
const adaptiveFirst = (one: AspectRatio, other: AspectRatio): number =>
  Number(other === 'adaptive') - Number(one === 'adaptive');

function ModelOption({ model }: { readonly model: Model }) {
  const least = Math.min(...model.prices.map((one) => one.credits_per_second));
  const price = `${formatNumber(least)} ${least === 1 ? 'credit' : 'credits'}`;
  return (
    <div>
      <Text fz="sm">{model.title === model.id ? model.id : `${model.title} (${model.id})`}</Text>
      <SmallNote>
        {`${lengthsText(model.duration)} s, up to ${model.resolutions.at(-1)}`}
        {least > 0 ? `, from ${price} per second` : ''}
        {model.retires === null ? '' : `, until ${model.retires}`}
      </SmallNote>
    </div>
  );
}

function DurationField({ form, model, change, errorOf }: FieldsProps) {
  const { duration } = fieldsOf(model, form);
  if (duration === null) {
    return (
      <Input.Wrapper label="Duration" data-field="duration" error={errorOf('duration')}>
        <Note>Same length as the source video.</Note>
      </Input.Wrapper>
    );
  }
  const { min, max, values } = duration;
  const set = (seconds: number) => change(adaptForm({ ...form, duration: seconds }, model));
  if (values !== null) {
    return (
      <Select
        label="Duration"
        data-field="duration"
        allowDeselect={false}
        data={values.map((seconds) => ({ value: `${seconds}`, label: `${seconds} s` }))}
        value={`${form.duration}`}
        error={errorOf('duration')}
        onChange={(seconds) => set(Number(seconds))}
      />
    );
  }
  return (
    <Input.Wrapper
      label="Duration"
      labelElement="div"
      data-field="duration"
      error={errorOf('duration')}
    >
      <Group gap="md" wrap="nowrap" align="center">
        <Slider
          flex={1}
          min={min}
          max={max}
          value={form.duration}
          onChange={set}
          label={null}
          thumbLabel="Duration in seconds"
          size="sm"
        />
        <NumberInput
          aria-label="Duration in seconds"
          w={92}
          min={min}
          max={max}
          clampBehavior="blur"
          allowDecimal={false}
          suffix=" s"
          value={form.duration}
          onValueChange={({ floatValue }, { source }) => {
            if (source === 'prop' || floatValue === undefined) return;
            if (floatValue >= min && floatValue <= max) set(floatValue);
          }}
        />
      </Group>
    </Input.Wrapper>
  );
}

type Choice<Value extends string> = {
  readonly value: Value;
  readonly content: ReactNode;
  /** The accessible name, when the content is not enough. */
  readonly name?: string;
};

function ChoiceTiles<Value extends string>(props: {
  readonly label: string;
  readonly field: FormField;
  readonly value: Value;
  readonly choices: readonly Choice<Value>[];
  /** Shown next to the label. */
  readonly note?: string | null;
  readonly error?: string | null;
  onChange(value: Value): void;
}) {
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
function Shape({ ratio }: { readonly ratio: AspectRatio }) {
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
