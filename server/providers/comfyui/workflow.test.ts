/** What a workflow file must contain, which task it is for, and the values that are filled in. */
import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { graphOf, graphs, writeWorkflows } from '../../../proof/kit/comfyui/workflows.ts';
import { sampleGeneration } from '../../../proof/kit/conformance-fixture.ts';
import { operationOf, valuesFor } from './values.ts';
import { readWorkflow, unsupportedReason, type Workflow, workflowFor } from './workflow.ts';

const { folder, workflows: settings } = await writeWorkflows();
const workflows = settings.map((one) => {
  const read = readWorkflow(one);
  assert.ok(!('problem' in read), JSON.stringify(read));
  return read;
});
after(() => rm(folder, { recursive: true }));

async function problemOf(content: unknown, fps: number | undefined = 16): Promise<string> {
  const file = join(folder, 'odd.json');
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
  const read = readWorkflow({ file, fps });
  return 'problem' in read ? read.problem : '';
}

const without = (id: string) => {
  const { [id]: _, ...rest } = graphOf();
  return rest;
};
const fox = (text: string) => graphOf({ '6': { class_type: 'CLIPTextEncode', inputs: { text } } });

test('names what is wrong with a workflow file', async () => {
  assert.deepEqual(readWorkflow({ file: join(folder, 'none.json') }), {
    problem: 'names a file that does not exist',
  });
  const cases: readonly (readonly [unknown, RegExp])[] = [
    [graphOf(), /^$/],
    ['{"1": ', /not JSON/],
    [[], /not a workflow in API format/],
    [{}, /not a workflow in API format/],
    [{ '1': { class_type: 'KSampler' } }, /not a workflow in API format/],
    [{ nodes: [], links: [], version: 0.4 }, /export it in API format/],
    [fox('{{prompt}} {{promt}}'), /unknown placeholder \{\{promt\}\}/],
    [fox('{{prompt}} {{image_0}}'), /unknown placeholder/],
    [{ ...graphOf(), '7': { class_type: '{{prompt}}', inputs: {} } }, /outside the values/],
    [{ ...graphOf(), '{{seed}}': { class_type: 'A', inputs: {} } }, /outside the values/],
    [without('6'), /lacks the placeholder \{\{prompt\}\}/],
    [without('5'), /lacks the placeholder \{\{width\}\}/],
    [graphOf({}, 81), /same length/],
    [fox('{{prompt}} {{last_frame}}'), /last frame without a first/],
  ];
  for (const [content, pattern] of cases) assert.match(await problemOf(content), pattern);
  const file = join(folder, 'text.json');
  assert.match(JSON.stringify(readWorkflow({ file })), /requires the setting fps/);
});

describe('choosing a workflow', () => {
  const url = 'https://cdn.example.test/file';
  const frames = (count: number): Partial<Generation> => ({
    generationType: 'image-to-video',
    imageUrls: Array.from({ length: count }, () => url),
  });
  const reference: Partial<Generation> = { generationType: 'reference-to-video' };
  const chosen = (change: Partial<Generation>) =>
    workflowFor(workflows, sampleGeneration(change))?.file?.split('/').at(-1);
  const unsupported = (change: Partial<Generation>, makes4k = false) =>
    unsupportedReason(workflows, sampleGeneration(change), { makes4k });

  test('chooses the workflow that takes exactly the files of the task', () => {
    assert.equal(chosen({}), 'text.json');
    assert.equal(chosen(frames(1)), 'firstFrame.json');
    assert.equal(chosen(frames(2)), 'bothFrames.json');
    assert.equal(chosen({ ...reference, videoUrls: [url], duration: -1 }), 'edit.json');
    assert.equal(chosen({ ...reference, videoUrls: [url] }), undefined);
    assert.equal(chosen({ duration: -1 }), undefined);
  });

  test('returns a message for the customer when no workflow fits', () => {
    assert.equal(unsupported({}), null);
    assert.equal(unsupported({ watermark: true }), 'input.watermark true is not supported');
    assert.equal(unsupported({ resolution: '4k' }), 'input.resolution 4k is not supported');
    assert.equal(unsupported({ resolution: '4k' }, true), null);
    assert.equal(unsupported({ duration: -1 }), 'input.duration -1 is not supported');
    assert.match(
      unsupported({ ...reference, imageUrls: [url] })!,
      /^input\.image_urls.* with 1 images, 0 videos, 0 audio files is not supported$/,
    );
    const onlyText = [workflows[0]!];
    const reasonFor = (change: Partial<Generation>) =>
      unsupportedReason(onlyText, sampleGeneration(change), { makes4k: false });
    assert.equal(reasonFor(frames(1)), 'input.generation_type image-to-video is not supported');
    const onlyFirst = workflows.slice(0, 2);
    assert.match(
      unsupportedReason(onlyFirst, sampleGeneration(frames(2)), { makes4k: false })!,
      /^input\.image_urls with a last frame/,
    );
  });
});

describe('values', () => {
  const workflow = { ...graphs, ...{ fps: 16, frameStep: 4 } } as unknown as Workflow;
  const values = (change: Partial<Generation>, settings: Partial<Workflow> = {}) =>
    valuesFor(sampleGeneration(change), {
      workflow: { ...workflow, ...settings },
      operation: operationOf('vg_1'),
      shape: null,
      uploaded: {},
    });

  test('rounds the number of frames up to what the model can make', () => {
    assert.equal(values({ duration: 5 }).frames, 81);
    assert.equal(values({ duration: 5 }, { fps: 24 }).frames, 121);
    assert.equal(values({ duration: 5 }, { fps: 25, frameStep: 8 }).frames, 129);
    assert.equal(values({ duration: -1 }).frames, undefined);
  });

  test('rounds sides to whole blocks', () => {
    const { width, height } = values({ aspectRatio: '4:3' });
    assert.deepEqual([width, height], [1120, 832]);
  });

  test('derives a seed when there is none, and keeps 0', () => {
    assert.equal(values({ seed: 0 }).seed, 0);
    const derived = values({ seed: null }).seed as number;
    assert.ok(Number.isInteger(derived) && derived >= 0 && derived < 2 ** 32);
    assert.equal(values({ seed: -1 }).seed, derived, 'the same for every start of one reference');
  });

  test('derives a stable UUID from the reference', () => {
    assert.match(
      operationOf('vg_1'),
      /^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/,
    );
    assert.equal(operationOf('vg_1'), operationOf('vg_1'));
    assert.notEqual(operationOf('vg_1'), operationOf('vg_2'));
  });
});
