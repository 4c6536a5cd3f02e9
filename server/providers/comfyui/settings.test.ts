/** What the configuration file may say of ComfyUI, and how a wrong workflow is named. */
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { test } from 'node:test';
import { problemsOf } from '@vidgen/contract/problem.ts';
import { graphOf, writeWorkflows } from '../../../proof/kit/comfyui/workflows.ts';
import { limitsOf, ProviderSettings } from '../kinds.ts';
import { ComfyUiSettings } from './settings.ts';

const misspelt = graphOf({
  '6': { class_type: 'CLIPTextEncode', inputs: { text: '{{prompt}} {{negative}}' } },
});

test('reads the workflows, and names what is wrong with them', async () => {
  const { folder, workflows } = await writeWorkflows({ good: graphOf(), misspelt });
  const [good, bad] = workflows as [object, object];
  const problems = (change: object): string[] =>
    problemsOf(ComfyUiSettings, {
      kind: 'comfyui',
      baseUrl: 'http://127.0.0.1:8188',
      workflows: { 'vidgen-2-0': [good] },
      ...change,
    }).map(({ message }) => message);
  const one = (workflow: object) => ({ workflows: { 'vidgen-2-0': [workflow] } });
  assert.deepEqual(problems({}), []);
  assert.deepEqual(
    problems({ apiKey: { env: 'PROXY_KEY' }, concurrency: 3, usualSeconds: 90, settleSeconds: 60 }),
    [],
  );
  const parsed = ProviderSettings.parse({
    kind: 'comfyui',
    baseUrl: 'http://127.0.0.1:8188',
    workflows: { 'vidgen-2-0': [good] },
  });
  assert.deepEqual(limitsOf(parsed), { concurrency: 2 }, 'one that runs and one that waits');
  assert.deepEqual(limitsOf({ ...parsed, concurrency: 5 }), { concurrency: 5 });
  const table: readonly (readonly [object, RegExp])[] = [
    [one(bad), /workflows\S*file holds an unknown placeholder \{\{negative\}\}/],
    [one({ ...good, file: '/nowhere/wan.json' }), /file names a file that does not exist/],
    [one({ ...good, fps: undefined }), /file needs fps/],
    [one({ ...good, color: 1 }), /color/],
    [{ baseUrl: 'gpu:8188' }, /baseUrl/],
    [{ workflows: { 'vidgen-2-0': [] } }, /workflows/],
  ];
  for (const [change, pattern] of table) {
    const found = problems(change);
    assert.ok(
      found.some((problem) => pattern.test(problem)),
      `${pattern} in ${found.join('; ')}`,
    );
  }
  await rm(folder, { recursive: true });
});
