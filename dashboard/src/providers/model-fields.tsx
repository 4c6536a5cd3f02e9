/** Which models a provider serves: those of a preset at a price, and those that exist. */
import {
  Checkbox,
  Group,
  Input,
  NumberInput,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import type { PresetModel } from '@vidgen/contract/admin-presets.ts';
import { Disclosure } from '../components/disclosure.tsx';
import { FieldGroup } from '../components/form.tsx';
import { SmallNote } from '../components/text.tsx';
import { priceInput } from '../models/price-fields.tsx';
import {
  type ConnectForm,
  type Known,
  missingModels,
  presetOf,
  priceKey,
} from './connect-request.ts';

export type FieldsProps = {
  readonly form: ConnectForm;
  readonly known: Known;
  change(change: Partial<ConnectForm>): void;
};

/** The models of a preset by their own names, with the prices of those that are chosen. */
export function PresetModels({ form, known, change }: FieldsProps) {
  const { models = [] } = presetOf(form, known) ?? {};
  if (models.length === 0) return null;
  const choose = (model: PresetModel, isChosen: boolean) =>
    change({ models: { ...form.models, [model.name]: isChosen ? model.upstream : '' } });
  return (
    <FieldGroup legend="Models">
      <SmallNote>
        Each is declared at your price. A resolution without a price isn’t offered.
      </SmallNote>
      {models.map((model) => (
        <Stack key={model.name} gap={6}>
          <Checkbox
            label={model.title ?? model.name}
            description={
              known.installed.includes(model.name)
                ? `${model.name} is declared already and keeps its prices`
                : `Requests send ${model.name}`
            }
            checked={Boolean(form.models[model.name])}
            onChange={({ currentTarget }) => choose(model, currentTarget.checked)}
          />
          {missingModels(form, known).includes(model) ? (
            <ModelPrices model={model} form={form} change={change} />
          ) : null}
        </Stack>
      ))}
    </FieldGroup>
  );
}

/** The models that exist already, which the provider may serve under names of its own. */
export function ModelFields({ form, known, change }: FieldsProps) {
  const { models = [] } = presetOf(form, known) ?? {};
  const names = known.installed.filter((name) => models.every((model) => model.name !== name));
  const group = (
    <FieldGroup legend={models.length === 0 ? 'Models' : 'Other models'}>
      <SmallNote>
        What the provider calls each model. Leave a field empty if it doesn’t serve the model.
      </SmallNote>
      {names.map((model) => (
        <Group key={model} gap="sm" wrap="nowrap">
          <Text fz="sm" w="9rem" component="label" htmlFor={`model-${model}`}>
            {model}
          </Text>
          <TextInput
            id={`model-${model}`}
            flex={1}
            placeholder="Not served"
            value={form.models[model] ?? ''}
            onChange={({ currentTarget: { value } }) =>
              change({ models: { ...form.models, [model]: value } })
            }
          />
        </Group>
      ))}
    </FieldGroup>
  );
  if (models.length === 0) return group;
  return <Disclosure label="Serve models that exist already">{group}</Disclosure>;
}

export function ModelPrices(props: Omit<FieldsProps, 'known'> & { readonly model: PresetModel }) {
  const { model, form, change } = props;
  return (
    <Input.Wrapper label={`Credits per second of ${model.name}`} labelElement="div">
      <SimpleGrid cols={{ base: 2, xs: 4 }} spacing="xs">
        {model.resolutions.map((resolution) => {
          const key = priceKey(model, resolution);
          return (
            <NumberInput
              key={key}
              label={resolution}
              aria-label={`Credits per second of ${model.name} at ${resolution}`}
              {...priceInput}
              value={form.prices[key] ?? ''}
              onValueChange={({ floatValue }, { source }) => {
                if (source === 'prop') return;
                change({ prices: { ...form.prices, [key]: floatValue ?? '' } });
              }}
            />
          );
        })}
      </SimpleGrid>
    </Input.Wrapper>
  );
}
