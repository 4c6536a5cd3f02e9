/** Colors of models. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelColors } from './chart-colors.ts';

test('no two models of a chart have one color, and those of the contract keep theirs', () => {
  const declared = ['seed-fal', 'kling-3', 'runway-gen-4.5', 'minimax-h3'];
  const colors = modelColors([...declared, 'vidgen-2-0-mini', 'vidgen-2-0', 'vidgen-2-5']);
  assert.equal(new Set(colors.values()).size, 7);
  for (const model of ['vidgen-2-5', 'kling-3']) {
    assert.equal(colors.get(model), modelColors([model]).get(model));
  }
});
