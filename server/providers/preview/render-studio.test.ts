/** Many previews and few places: who is served when, with a renderer that does nothing. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  beginPreview,
  begunIn,
  diaryOf,
  openPreviews,
  processIn,
  untilFinal,
} from '../../../proof/kit/preview-bench.ts';

describe('places', () => {
  test('are never more than there are slots', async () => {
    await using previews = await openPreviews({ slots: 2, waitMs: 50 });
    // Both flavours draw on the same places.
    const one = await beginPreview(previews.preview, { prompt: 'hang' });
    const other = await beginPreview(previews.testPreview, { prompt: 'hang' });
    const third = await beginPreview(previews.preview, {});
    const looking = [one.look(), other.look()];
    await begunIn(previews, 2);
    assert.equal((await third.look()).outcome, 'pending');
    assert.equal((await diaryOf(previews)).length, 2, 'the third has not begun');
    await previews.preview.cancel(one.operation);
    assert.equal((await untilFinal(third.look)).outcome, 'completed');
    other.stop.abort();
    await Promise.all(looking);
  });

  test('are taken as soon as they are free', async () => {
    // Nobody could wait for as long as that.
    await using previews = await openPreviews({ slots: 1, waitMs: 3600_000 });
    const first = await beginPreview(previews.preview, { prompt: 'hang' });
    const looking = first.look();
    await processIn(previews);
    const second = (await beginPreview(previews.preview, {})).look();
    first.stop.abort();
    assert.equal((await second).outcome, 'completed');
    await looking;
  });

  test('are had by one clip in 4k at a time', async () => {
    await using previews = await openPreviews({ slots: 4, waitMs: 50 });
    const large = await beginPreview(previews.preview, { prompt: 'hang', resolution: '4k' });
    const looking = large.look();
    await processIn(previews);
    const second = await beginPreview(previews.preview, { resolution: '4k' });
    assert.equal((await second.look()).outcome, 'pending');
    assert.equal(
      (await untilFinal((await beginPreview(previews.preview, {})).look)).outcome,
      'completed',
    );
    large.stop.abort();
    await looking;
  });

  test('are had by test keys up to their half', async () => {
    await using previews = await openPreviews({ slots: 2, waitMs: 50 });
    const held = await beginPreview(previews.testPreview, { prompt: 'hang' });
    const looking = held.look();
    await processIn(previews);
    const another = await beginPreview(previews.testPreview, {});
    assert.equal((await another.look()).outcome, 'pending');
    const live = await beginPreview(previews.preview, {});
    assert.equal((await untilFinal(live.look)).outcome, 'completed');
    held.stop.abort();
    await looking;
    assert.equal((await untilFinal(another.look)).outcome, 'completed');
  });

  test('go round the accounts, the shortest of each first', async () => {
    await using previews = await openPreviews({ slots: 1, waitMs: 3600_000 });
    const held = await beginPreview(previews.preview, { prompt: 'hang' }, { accountId: 'a' });
    const looking = [held.look()];
    await processIn(previews);
    for (const [accountId, prompt, duration] of [
      ['a', 'a long', 15],
      ['a', 'a short', 4],
      ['b', 'b long', 15],
      ['a', 'a middling', 9],
      ['b', 'b short', 5],
    ] as const) {
      const { look } = await beginPreview(previews.preview, { prompt, duration }, { accountId });
      looking.push(look());
    }
    held.stop.abort();
    await Promise.all(looking);
    const order = ['b short', 'a short', 'b long', 'a middling', 'a long'];
    assert.deepEqual(await begunIn(previews, 6), ['hang', ...order]);
  });

  test('are not held by who waits for a slow address', async () => {
    const arrived = Promise.withResolvers<void>();
    await using previews = await openPreviews({
      slots: 1,
      fetchMaterial: async () => {
        await arrived.promise;
        return { saved: false };
      },
    });
    const slow = await beginPreview(previews.preview, {
      generationType: 'image-to-video',
      imageUrls: ['https://slow.example.test/picture.png'],
    });
    const looking = slow.look();
    const text = await beginPreview(previews.preview, {});
    assert.equal((await untilFinal(text.look)).outcome, 'completed');
    arrived.resolve();
    assert.equal((await looking).outcome, 'completed');
  });
});
