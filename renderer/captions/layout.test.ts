/**
 * Captions fit at every size and in every script.
 *
 * Thorough: lays out every script at every size.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Resolution } from '@vidgen/contract/models.ts';
import type { NamedRatio } from '@vidgen/contract/video-sizes.ts';
import { type Size, sizeOf } from '../size.ts';
import { prompts } from '../testing/scripts.ts';
import { type CaptionLayout, layOut, layOutTitle } from './layout.ts';

const frame = { size: { width: 1280, height: 720 }, unit: 1 };
const ratios: readonly NamedRatio[] = ['16:9', '9:16', '1:1', '21:9', '4:3', '3:4'];
const resolutions: readonly Resolution[] = ['480p', '4k'];

const longest = Object.values(prompts).join(' ').repeat(9).slice(0, 10_000);

function assertWithin({ lines, margin, stroke }: CaptionLayout, size: Size, about: string): void {
  assert.ok(lines.length > 0, about);
  for (const { x, width, baseline, ascent, descent, text } of lines) {
    assert.ok(x >= 0 && x + width <= size.width - margin + 1, `${about}: ${text} at ${x}`);
    assert.ok(baseline - ascent >= stroke.y, `${about}: ${text} touches the stroke`);
    assert.ok(baseline + descent <= size.height - margin * 0.5, `${about}: ${text} too low`);
  }
}

/** Scenes draw their subjects above the lowest fifth of the frame. */
function assertBelowSubject({ lines }: CaptionLayout, size: Size, about: string): void {
  const highest = Math.min(...lines.map(({ baseline, ascent }) => baseline - ascent));
  const share = highest / size.height;
  assert.ok(share > 0.78, `${about}: begins at ${share.toFixed(2)}`);
}

for (const resolution of resolutions) {
  for (const aspectRatio of ratios) {
    test(`every script stays within ${aspectRatio} at ${resolution}`, () => {
      const size = sizeOf({ model: 'vidgen-2-5', resolution, aspectRatio }, null);
      const unit = Math.min(size.width, size.height) / 720;
      for (const [script, prompt] of Object.entries({ ...prompts, longest })) {
        const caption = layOut(prompt, { size, unit });
        assertWithin(caption, size, script);
        assertBelowSubject(caption, size, script);
        assertWithin(layOutTitle(prompt, { size, unit }), size, `title, ${script}`);
      }
    });
  }
}

test('aligns left-to-right text to the left margin, right-to-left text to the right', () => {
  const left = layOut(prompts.Latin, frame);
  assert.equal(left.lines[0]!.x, left.margin);
  assert.equal(left.stroke.x, left.margin);
  const { lines, stroke, margin } = layOut(prompts.Arabic, frame);
  assert.equal(lines[0]!.x + lines[0]!.width, 1280 - margin);
  assert.equal(stroke.x + stroke.width, 1280 - margin);
});
