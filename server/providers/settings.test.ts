/** How `supports` restricts a provider. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GenerationType } from '@vidgen/contract/models.ts';
import { sampleGeneration } from '../../proof/kit/conformance-fixture.ts';
import { unsupported } from './settings.ts';

test('does not restrict what is not configured', () => {
  assert.equal(unsupported({}, sampleGeneration({ resolution: '4k', duration: 15 })), null);
});

test('restricts the resolutions of one generation type', () => {
  const supports = { resolutions: { 'reference-to-video': ['480p' as const] } };
  const why = (generationType: GenerationType) =>
    unsupported(supports, sampleGeneration({ generationType }));
  assert.equal(why('text-to-video'), null);
  const expected = 'input.resolution 720p is not supported with reference-to-video';
  assert.equal(why('reference-to-video'), expected);
});

test('names the field of a generation that is excluded', () => {
  const supports: Parameters<typeof unsupported>[0] = {
    generationTypes: ['text-to-video'],
    resolutions: ['480p', '720p'],
    secondsMax: 10,
    ...{ promptCharactersMin: 3, promptCharactersMax: 2_000 },
  };
  const why = (change: Parameters<typeof sampleGeneration>[0]) =>
    unsupported(supports, sampleGeneration(change));
  assert.equal(why({}), null);
  assert.match(
    why({ generationType: 'image-to-video' })!,
    /^input\.generation_type image-to-video/,
  );
  assert.match(why({ resolution: '1080p' })!, /^input\.resolution 1080p is not supported/);
  assert.equal(why({ duration: 11 }), 'input.duration 11 is not supported (at most 10)');
  assert.equal(why({ duration: -1 }), null, 'as long as its source is no length');
  const tooLong = 'input.prompt with 2001 characters is not supported (at most 2000)';
  assert.equal(why({ prompt: 'x'.repeat(2_001) }), tooLong);
  const tooShort = 'input.prompt with 2 characters is not supported (at least 3)';
  assert.equal(why({ prompt: 'go' }), tooShort);
});
