/**
 * Seeds of schedules that once broke a rule, run in every `npm test`. A seed draws the same
 * schedule as long as the commands do not change.
 */
export const regressionSeeds: readonly { readonly seed: number; readonly shows: string }[] = [
  {
    seed: 1081083922,
    shows: 'an intent that was written after its lease had run out gave no hold on the job',
  },
];
