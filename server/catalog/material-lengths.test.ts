/** docs/spec.md 4.3.4 to 4.3.6: how long materials may be, one row each. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { ModelName } from '@vidgen/contract/models.ts';
import { createCatalog } from './catalog.ts';
import { checkMaterialLengths } from './material-lengths.ts';

type Row = {
  readonly rule: string;
  readonly model?: ModelName;
  readonly duration?: number;
  readonly videos?: readonly (number | null)[];
  readonly audios?: readonly (number | null)[];
  readonly expectedError?: string;
};

const rows: readonly Row[] = [
  { rule: 'model 2.5: videos of 2 and 28 s', videos: [2, 28] },
  { rule: 'model 2.5: a video of 30 s', videos: [30] },
  {
    rule: 'model 2.5: a video under 2 s',
    videos: [5, 1.9],
    expectedError: 'input.video_urls[1] is 1.9 s long; each video must be 2 to 30 s for vidgen-2-5',
  },
  {
    rule: 'model 2.5: a video over 30 s is also over 30 s combined',
    videos: [null, 41.23],
    expectedError:
      'input.video_urls[1] is 41.2 s long; each video must be 2 to 30 s for vidgen-2-5; ' +
      'input.video_urls is 41.2 s long in all; ' +
      'the videos must total at most 30 s for vidgen-2-5',
  },
  {
    rule: 'model 2.5: videos over 30 s combined',
    videos: [15.5, 15],
    expectedError:
      'input.video_urls is 30.5 s long in all; ' +
      'the videos must total at most 30 s for vidgen-2-5',
  },
  { rule: 'model 2.5: audio of 2 and 28 s', audios: [2, 28] },
  {
    rule: 'model 2.5: audio under 2 s',
    audios: [0.5],
    expectedError:
      'input.audio_urls[0] is 0.5 s long; each audio file must be 2 to 30 s for vidgen-2-5',
  },
  {
    rule: 'model 2.5: audio over 30 s combined',
    audios: [10, 10, 10.1],
    expectedError:
      'input.audio_urls is 30.1 s long in all; ' +
      'the audio files must total at most 30 s for vidgen-2-5',
  },
  { rule: 'video and audio are summed separately', videos: [30], audios: [30] },
  { rule: 'model 2.0: no limit for each, 15 s combined', model: 'vidgen-2-0', videos: [0.5, 14.5] },
  {
    rule: 'model 2.0: videos over 15 s combined',
    model: 'vidgen-2-0',
    videos: [10, 5.1],
    expectedError:
      'input.video_urls is 15.1 s long in all; ' +
      'the videos must total at most 15 s for vidgen-2-0',
  },
  {
    rule: 'model 2.0: audio over 15 s combined',
    model: 'vidgen-2-0-mini',
    audios: [16],
    expectedError:
      'input.audio_urls is 16 s long in all; ' +
      'the audio files must total at most 15 s for vidgen-2-0-mini',
  },
  { rule: 'editing: videos of 4 and 26 s', duration: -1, videos: [4, 26] },
  {
    rule: 'editing: a video under 4 s',
    duration: -1,
    videos: [3.5],
    expectedError:
      'input.video_urls[0] is 3.5 s long; each video must be 4 to 30 s for video editing',
  },
  { rule: 'unknown lengths break no rule', videos: [null, null], audios: [null] },
  { rule: 'hundredths that a container adds break no rule', videos: [30.04], audios: [1.96, 28] },
];

for (const { rule, expectedError, ...row } of rows) {
  test(rule, () => {
    const { model = 'vidgen-2-5', duration = 5, videos = [], audios = [] } = row;
    const checked = checkMaterialLengths(
      { model, duration } as Generation,
      createCatalog().find(model)!,
      { videos, audios },
    );
    assert.equal(checked.ok ? undefined : checked.message, expectedError);
  });
}
