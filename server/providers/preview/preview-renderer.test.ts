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

  test('are granted as soon as they are free', async () => {
    // Longer than any test runs.
    await using previews = await openPreviews({ slots: 1, waitMs: 3600_000 });
    const first = await startPreview(previews.preview, { prompt: 'hang' });
    const polling = first.poll();
    await rendererPid(previews);
    const second = (await startPreview(previews.preview, {})).poll();
    first.stop.abort();
    assert.equal((await second).outcome, 'completed');
    await polling;
  });

  test('are granted to one 4k render at a time', async () => {
    await using previews = await openPreviews({ slots: 4, waitMs: 50 });
    const large = await startPreview(previews.preview, { prompt: 'hang', resolution: '4k' });
    const polling = large.poll();
    await rendererPid(previews);
    const second = await startPreview(previews.preview, { resolution: '4k' });
    assert.equal((await second.poll()).outcome, 'pending');
    assert.equal(
      (await waitUntilFinal((await startPreview(previews.preview, {})).poll)).outcome,
      'completed',
    );
    large.stop.abort();
    await polling;
  });

  test('are granted to test keys up to half of them', async () => {
    await using previews = await openPreviews({ slots: 2, waitMs: 50 });
    const held = await startPreview(previews.testPreview, { prompt: 'hang' });
    const polling = held.poll();
    await rendererPid(previews);
    const another = await startPreview(previews.testPreview, {});
    assert.equal((await another.poll()).outcome, 'pending');
    const live = await startPreview(previews.preview, {});
    assert.equal((await waitUntilFinal(live.poll)).outcome, 'completed');
    held.stop.abort();
    await polling;
    assert.equal((await waitUntilFinal(another.poll)).outcome, 'completed');
  });

  test('are granted to accounts in turn, the shortest render of each first', async () => {
    await using previews = await openPreviews({ slots: 1, waitMs: 3600_000 });
    const held = await startPreview(previews.preview, { prompt: 'hang' }, { accountId: 'a' });
    const polling = [held.poll()];
    await rendererPid(previews);
    for (const [accountId, prompt, duration] of [
      ['a', 'a long', 15],
      ['a', 'a short', 4],
      ['b', 'b long', 15],
      ['a', 'a middling', 9],
      ['b', 'b short', 5],
    ] as const) {
      const { poll } = await startPreview(previews.preview, { prompt, duration }, { accountId });
      polling.push(poll());
    }
    held.stop.abort();
    await Promise.all(polling);
    const order = ['b short', 'a short', 'b long', 'a middling', 'a long'];
    assert.deepEqual(await startedPrompts(previews, 6), ['hang', ...order]);
  });

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
