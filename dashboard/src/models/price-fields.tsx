/** The resolutions of a model with their prices, and what a video costs at them. */
import {
  ActionIcon,
  Autocomplete,
  Button,
  Group,
  Input,
  NumberInput,
  SimpleGrid,
  Stack,
} from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { PlusIcon, TrashIcon } from '@radix-ui/react-icons';
import type { Rate } from '@vidgen/contract/model-declaration.ts';
import { resolutions } from '@vidgen/contract/models.ts';
import { creditsAt, rateOf } from '@vidgen/contract/price.ts';
import { Disclosure } from '../components/disclosure.tsx';
import { FieldGroup } from '../components/form.tsx';
import { formatNumber, Note } from '../components/text.tsx';
import {
  emptyPrice,
  type ModelForm,
  type PriceRow,
  sampleSeconds,
  withoutEmpty,
} from './model-form.ts';

export type FormProps = { readonly form: UseFormReturnType<ModelForm> };

/** What a `NumberInput` of a price takes. */
export const priceInput = {
  min: 0,
  max: 1_000_000,
  decimalScale: 4,
  allowNegative: false,
  thousandSeparator: ',',
  hideControls: true,
} as const;

const rarePrices = [
  ['perSecondSilent', 'Per second without sound'],
  ['perSecondWithVideo', 'Per second with a reference video'],
  ['perInputSecond', 'Per second of reference video'],
  ['perTask', 'Per video, in addition'],
] as const;

export function PriceFields({ form }: FormProps) {
  const rows = form.values.resolutions;
  return (
    <FieldGroup legend="Prices in credits" path="resolutions">
      {rows.map((row, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: names change as they are typed
        <PriceRowFields key={at} form={form} row={row} at={at} />
      ))}
      {form.errors.resolutions ? <Input.Error>{form.errors.resolutions}</Input.Error> : null}
      <Group>
        <Button
          variant="default"
          size="xs"
          leftSection={<PlusIcon aria-hidden />}
          onClick={() => form.insertListItem('resolutions', emptyPrice)}
        >
          Add resolution
        </Button>
      </Group>
    </FieldGroup>
  );
}

function PriceRowFields(props: FormProps & { readonly row: PriceRow; readonly at: number }) {
  const { form, row, at } = props;
  const of = (name: keyof PriceRow) => form.getInputProps(`resolutions.${at}.${name}`);
  const label = row.name.trim() || 'this resolution';
  const estimate = estimateOf(form.values, row);
  return (
    <Stack gap={4}>
      <Group gap="xs" wrap="nowrap" align="flex-end">
        <Autocomplete
          label="Resolution"
          flex="1 1 7rem"
          placeholder="720p"
          data={[...resolutions]}
          {...of('name')}
        />
        <NumberInput
          label="Per second"
          flex="2 1 8rem"
          aria-label={`Credits per second at ${label}`}
          {...priceInput}
          {...of('perSecond')}
        />
        <ActionIcon
          variant="subtle"
          color="red"
          size="lg"
          aria-label={`Remove ${label}`}
          onClick={() => form.removeListItem('resolutions', at)}
        >
          <TrashIcon aria-hidden />
        </ActionIcon>
      </Group>
      <Note role="status">{estimate ?? 'Enter a price to see what a video costs.'}</Note>
      <Disclosure
        label={`More prices at ${label}`}
        startsOpen={rarePrices.some(([name]) => row[name] !== '')}
      >
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs">
          {rarePrices.map(([name, title]) => (
            <NumberInput key={name} label={title} {...priceInput} {...of(name)} />
          ))}
        </SimpleGrid>
      </Disclosure>
    </Stack>
  );
}

/** "5 s at 720p costs 84 credits with sound, 56 without." Null until there is a price. */
function estimateOf(form: ModelForm, { name, ...figures }: PriceRow): string | null {
  const given: Rate = withoutEmpty(figures);
  const seconds = sampleSeconds(form);
  if (Object.keys(given).length === 0 || !(seconds > 0)) return null;
  const rate = rateOf(given);
  const at = (hasSound: boolean, inputSeconds: number | null = null) =>
    formatNumber(creditsAt(rate, { seconds, hasSound, inputSeconds }));
  const isVaried = form.sound === 'optional' && given.perSecondSilent !== undefined;
  const hasVideo = given.perSecondWithVideo !== undefined || given.perInputSecond !== undefined;
  return [
    `${seconds} s at ${name.trim()} costs ${at(form.sound !== 'never')} credits`,
    isVaried ? ` with sound, ${at(false)} without` : '',
    hasVideo ? `, ${at(true, seconds)} with a reference video of ${seconds} s` : '',
    '.',
  ].join('');
}
