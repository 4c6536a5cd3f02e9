/** What a workflow file must contain, which task it is for, and the values that are filled in. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { graphOf, graphs, writeWorkflows } from '../../../proof/kit/comfyui/workflows.ts';
import { sampleGeneration } from '../../../proof/kit/conformance-fixture.ts';
import { makeTemporaryFolder } from '../../../proof/kit/temporary-folder.ts';
import { failureFor } from './errors.ts';
import { operationOf, valuesFor } from './values.ts';
import { type FinishedPrompt, findVideo, readHistory, readQueue } from './wire.ts';
import { readWorkflow, unsupportedReason, type Workflow, workflowFor } from './workflow.ts';

const folder = makeTemporaryFolder('workflow');
const workflows = (await writeWorkflows()).map((one) => {
  const read = readWorkflow(one);
  assert.ok(!('problem' in read), JSON.stringify(read));
  return read;
});

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
  const [{ file }] = (await writeWorkflows()) as [{ file: string }];
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
  const workflow = { ...graphs, fps: 16, frameStep: 4 } as unknown as Workflow;
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

const file = (filename: string, type = 'output', subfolder = '') => ({ filename, subfolder, type });

test('finds a video in any list of any node', () => {
  const video = file('a.mp4');
  for (const name of ['images', 'gifs', 'video', 'videos', 'whatever']) {
    assert.deepEqual(findVideo({ '9': { [name]: [video], animated: [true] } }, undefined), video);
  }
  const combined = { ...file('b.out'), format: 'video/h264-mp4', fullpath: '/srv/out/b.out' };
  assert.deepEqual(findVideo({ '9': { gifs: [combined] } }, undefined), file('b.out'));
});

test('prefers the configured node, then kept files, and skips inputs and images', () => {
  const outputs = {
    '1': { images: [file('input.mp4', 'input')] },
    '2': { images: [file('preview.mp4', 'temp'), file('frame.png')] },
    '3': { images: [file('first.webm')] },
    '4': { gifs: [file('second.mov', 'temp')] },
  };
  assert.equal(findVideo(outputs, undefined)?.filename, 'first.webm');
  assert.equal(findVideo(outputs, '4')?.filename, 'second.mov');
  assert.equal(findVideo({ '1': outputs['1'] }, '1'), null);
  assert.equal(findVideo({ '9': { images: [file('moving.webp')], animated: [true] } }, '9'), null);
});

test('distinguishes an absent prompt from an unreadable response', () => {
  const id = 'b1d0';
  const item = [3, id, {}, {}, ['9']];
  const queue = (running: unknown, pending: unknown) =>
    readQueue({ queue_running: running, queue_pending: pending }, id);
  assert.equal(queue([item], []), 'running');
  assert.equal(queue([], [item]), 'queued');
  assert.equal(queue([], [[4, 'other', {}, {}, []]]), null);
  for (const malformed of [undefined, null, 'none', [7], [[1, 2]]])
    assert.equal(queue(malformed, []), undefined);
  assert.equal(readHistory({}, id), null);
  for (const malformed of [null, [], 'x', { other: {} }, { [id]: 7 }, { [id]: { outputs: [] } }]) {
    assert.equal(readHistory(malformed, id), undefined);
  }
  assert.equal(readHistory({ [id]: { outputs: {}, status: null } }, id)?.status, undefined);
});

test('reports an unusable file only when the node that loads it fails', () => {
  const finished = (
    nodeId: string,
    nodeType: string,
    message = 'cannot identify image file',
  ): FinishedPrompt => ({
    status: 'error',
    interrupted: false,
    error: { nodeId, nodeType, exception: 'PIL.UnidentifiedImageError', message },
    outputs: {},
  });
  const reasonOf = (one: FinishedPrompt) => failureFor(one, new Set(['20'])).reason;
  assert.equal(reasonOf(finished('20', 'LoadImage')), 'material');
  assert.equal(reasonOf(finished('20.0.1', 'VHS_LoadVideo')), 'material');
  assert.equal(reasonOf(finished('3', 'KSampler')), 'failed');
  assert.equal(reasonOf(finished('20', 'AllInOneSampler')), 'failed');
  assert.equal(reasonOf(finished('1', 'UNETLoader')), 'failed', 'a configured model');
  assert.deepEqual(
    failureFor(finished('7', 'Guard', 'Content policy: prompt rejected'), new Set()),
    {
      reason: 'rejected',
      rejectedPart: 'prompt',
      detail: 'node 7 Guard: PIL.UnidentifiedImageError: Content policy: prompt rejected',
    },
  );
});
