/** The order in which many previews get few slots, with a renderer that does nothing. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  openPreviews,
  rendererLog,
  rendererPid,
  startedPrompts,
  startPreview,
  waitUntilFinal,
} from '../../../proof/kit/preview-fixture.ts';

describe('slots', () => {
  test('are never exceeded', async () => {
    await using previews = await openPreviews({ slots: 2, waitMs: 50 });
    // Live and test previews share the slots.
    const one = await startPreview(previews.preview, { prompt: 'hang' });
    const other = await startPreview(previews.testPreview, { prompt: 'hang' });
    const third = await startPreview(previews.preview, {});
    const polling = [one.poll(), other.poll()];
    await startedPrompts(previews, 2);
    assert.equal((await third.poll()).outcome, 'pending');
    assert.equal((await rendererLog(previews)).length, 2, 'the third has not begun');
    await previews.preview.cancel(one.operation);
    assert.equal((await waitUntilFinal(third.poll)).outcome, 'completed');
    other.stop.abort();
    await Promise.all(polling);
  });

  const shares = [
    ['one 4k render at a time', 'preview', { resolution: '4k' }],
    ['test keys up to half of them', 'testPreview', {}],
  ] as const;
  for (const [what, name, change] of shares) {
    test(`are granted to ${what}`, async () => {
      await using previews = await openPreviews({ slots: 2, waitMs: 50 });
      const held = await startPreview(previews[name], { prompt: 'hang', ...change });
      const polling = held.poll();
      await rendererPid(previews);
      const second = await startPreview(previews[name], change);
      assert.equal((await second.poll()).outcome, 'pending');
      const other = await startPreview(previews.preview, {});
      assert.equal((await waitUntilFinal(other.poll)).outcome, 'completed');
      held.stop.abort();
      await polling;
      assert.equal((await waitUntilFinal(second.poll)).outcome, 'completed');
    });
  }

  test('are not held while a slow host is downloaded from', async () => {
    const arrived = Promise.withResolvers<void>();
    await using previews = await openPreviews({
      slots: 1,
      fetchMaterial: async () => {
        await arrived.promise;
        return { saved: false };
      },
    });
    const slow = await startPreview(previews.preview, {
      generationType: 'image-to-video',
      imageUrls: ['https://slow.example.test/image.png'],
    });
    const polling = slow.poll();
    const text = await startPreview(previews.preview, {});
    assert.equal((await waitUntilFinal(text.poll)).outcome, 'completed');
    arrived.resolve();
    assert.equal((await polling).outcome, 'completed');
  });
});
