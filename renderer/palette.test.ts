import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toneOf } from './color.ts';
import { paletteFor } from './palette.ts';
import { parsePrompt } from './prompt-brief.ts';
import { randomFrom } from './random.ts';

const paletteOf = (prompt: string, seed = 5) => paletteFor(parsePrompt(prompt), randomFrom(seed));

test('uses the time of day that the prompt names and reports it', () => {
  for (const [prompt, time] of [
    ['the sea at sunrise', 'dawn'],
    ['the sea at noon', 'day'],
    ['the sea at dusk', 'dusk'],
    ['the sea at midnight', 'night'],
    ['a galaxy at noon', 'night'],
  ] as const) {
    for (const seed of [1, 2, 3, 4]) {
      assert.equal(paletteOf(prompt, seed).time, time, prompt);
      assert.equal(paletteOf(prompt, seed).night, time === 'night', prompt);
    }
  }
});

test('tints the sky with a named color', () => {
  for (const [prompt, hue] of [
    ['a crimson sky over mountains at dusk', 26],
    ['an emerald ocean at noon', 162],
    ['a violet sunset over the sea', 306],
    ['teal mist in the valley, morning', 200],
  ] as const) {
    const { middle } = paletteOf(prompt);
    const away = Math.abs(((toneOf(middle).hue - hue + 540) % 360) - 180);
    assert.ok(away < 30, `${prompt}: ${away} degrees away`);
    assert.ok(toneOf(middle).rich > 0.05, `${prompt}: is gray`);
  }
});

test('uses no color for black and white, and light colors for pastel', () => {
  const gray = paletteOf('black and white city at night');
  for (const stop of [gray.high, gray.low, gray.light]) assert.ok(toneOf(stop).rich < 0.005);
  const soft = toneOf(paletteOf('pastel mountains at dusk').middle).light;
  assert.ok(soft > toneOf(paletteOf('mountains at dusk').middle).light + 0.1);
});

test('every sky becomes lighter towards the horizon', () => {
  const times = ['dawn', 'noon', 'dusk', 'night'];
  const places = ['sea', 'mountains', 'city', 'space', 'forest', 'rain', 'snow', 'desert', 'fire'];
  const weathers = ['', 'fog', 'storm', 'rain', 'snow', 'clouds', 'red sky', 'teal and orange'];
  for (const time of times) {
    for (const place of [...places, 'flowers', 'idea', 'coral reef']) {
      for (const weather of weathers) {
        const prompt = `${place} at ${time}, ${weather}`;
        const { high, low, horizon } = paletteOf(prompt);
        assert.ok(toneOf(high).light < toneOf(low).light, prompt);
        assert.ok(toneOf(low).light <= toneOf(horizon).light, prompt);
      }
    }
  }
});
