/** What clients of ModelArk send becomes our create request, or is rejected by name. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createCatalog } from '../../../catalog/catalog.ts';
import { checkGeneration } from '../../../catalog/check.ts';
import { renameFields } from '../translated-create.ts';
import { formatModelArkError } from './errors.ts';
import { findModel, modelArkExamples } from './tasks.ts';
import { translateCreate } from './translate-create.ts';

const catalog = createCatalog({ aliases: { 'dreamina-seedance-2-0-260128': 'vidgen-2-0' } });
const translate = (body: object) => translateCreate(body, (name) => findModel(catalog, name));

const text = { type: 'text', text: 'A boat' };
const file = (kind: 'image' | 'video' | 'audio', name: string, role?: string) => ({
  type: `${kind}_url`,
  [`${kind}_url`]: { url: `https://cdn.example.test/${name}` },
  ...(role ? { role } : {}),
});
const base = { model: 'vidgen-2-5', content: [text] };
const noFiles = { image_urls: [], video_urls: [], audio_urls: [] };
const url = (name: string) => `https://cdn.example.test/${name}`;

describe('content', () => {
  const cases: [name: string, content: object[], input: object][] = [
    ['text alone', [text], { generation_type: 'text-to-video', ...noFiles }],
    [
      'one image without a role is the first frame',
      [text, file('image', 'a.png')],
      { generation_type: 'image-to-video', image_urls: [url('a.png')] },
    ],
    [
      'the first frame comes first',
      [file('image', 'z.png', 'last_frame'), text, file('image', 'a.png', 'first_frame')],
      { generation_type: 'image-to-video', image_urls: [url('a.png'), url('z.png')] },
    ],
    [
      'references keep their order',
      [
        text,
        file('image', 'b.png', 'reference_image'),
        file('video', 'v.mp4', 'reference_video'),
        file('image', 'a.png', 'reference_image'),
        file('audio', 's.mp3', 'reference_audio'),
      ],
      {
        generation_type: 'reference-to-video',
        image_urls: [url('b.png'), url('a.png')],
        video_urls: [url('v.mp4')],
        audio_urls: [url('s.mp3')],
      },
    ],
  ];
  for (const [name, content, input] of cases) {
    test(name, () => {
      assert.partialDeepStrictEqual(translate({ ...base, content }).body.input, input);
    });
  }
});

test('fields are translated, and defaults are left to our own create', () => {
  const { body, dialect } = translate({
    model: 'dreamina-seedance-2-0-260128',
    content: [text],
    resolution: '4K',
    ratio: '9:16',
    duration: 8,
    seed: -1,
    watermark: true,
    generate_audio: false,
    return_last_frame: true,
    tools: [{ type: 'web_search' }],
    callback_url: 'https://hooks.example.test/x',
    safety_identifier: 'user-1',
    priority: 3,
    execution_expires_after: 7200,
    service_tier: 'default',
    camera_fixed: false,
  });
  assert.deepEqual(body, {
    model: 'vidgen-2-0',
    callback_url: 'https://hooks.example.test/x',
    input: {
      prompt: 'A boat',
      generation_type: 'text-to-video',
      ...noFiles,
      resolution: '4k',
      aspect_ratio: '9:16',
      duration: 8,
      watermark: true,
      generate_audio: false,
      return_last_frame: true,
      web_search: true,
    },
  });
  assert.deepEqual(dialect, {
    name: 'modelark',
    model: 'dreamina-seedance-2-0-260128',
    priority: 3,
    executionExpiresAfter: 7200,
    safetyIdentifier: 'user-1',
    taskType: undefined,
  });
  assert.deepEqual(Object.keys(translate(base).body.input), [
    'prompt',
    'generation_type',
    ...Object.keys(noFiles),
  ]);
});

test('an edit is a duration of -1', () => {
  const content = [text, file('video', 'v.mp4', 'reference_video')];
  const edit = translate({ ...base, content, omni_reference_task_type: 'edit' });
  assert.equal(edit.body.input.duration, -1);
  assert.equal(edit.dialect.taskType, 'edit');
});

describe('rejects by name', () => {
  const video = file('video', 'v.mp4', 'reference_video');
  const unsupported = 'InvalidParameter.UnsupportedParameter';
  const cases: [change: object, code: string, message: RegExp][] = [
    [{ model: undefined }, 'InvalidParameter', /^model is required/],
    [{ model: 'seedance-9' }, 'InvalidEndpointOrModel.NotFound', /"seedance-9" is not served here/],
    [{ content: [] }, 'InvalidParameter', /^content must contain at least 1/],
    [{ content: [file('image', 'a.png')] }, 'MissingParameter', /must have a text item/],
    [{ content: [text, file('video', 'v.mp4')] }, 'InvalidParameter', /must be reference_video/],
    [{ content: [text, { type: 'image_url' }] }, 'InvalidParameter', /needs image_url/],
    [
      { content: [text, file('image', 'a.png'), file('image', 'b.png')] },
      'InvalidParameter',
      /role must be specified/,
    ],
    [
      { content: [text, file('image', 'a.png', 'last_frame')] },
      'InvalidParameter',
      /requires a first frame/,
    ],
    [{ content: [text, file('image', 'a.png'), video] }, 'InvalidParameter', /cannot be mixed/],
    [{ frames: 49 }, unsupported, /^frames is not supported/],
    [{ camera_fixed: true }, unsupported, /^camera_fixed/],
    [JSON.parse('{"__proto__": 1}'), 'InvalidParameter', /^__proto__ is not a known field/],
    [
      { model: 'vidgen-2-0', omni_reference_task_type: 'auto' },
      unsupported,
      /not supported by vidgen-2-0/,
    ],
    [
      { content: [text, video], omni_reference_task_type: 'edit', ratio: '16:9' },
      'InvalidParameter.TaskTypeConstraint',
      /edit needs a reference video/,
    ],
  ];
  for (const [change, code, message] of cases) {
    test(`${code}: ${message.source}`, () => {
      assert.throws(
        () => translate({ ...base, ...change }),
        (error) => {
          const { body } = formatModelArkError(error as never);
          const shown = (body as { error: { code: string; message: string } }).error;
          assert.equal(shown.code, code);
          assert.match(shown.message, message);
          return true;
        },
      );
    });
  }
});

test('messages of our own rules name the fields of the request', () => {
  const { fieldNames } = translate({
    ...base,
    content: [
      file('audio', 's.mp3', 'reference_audio'),
      text,
      file('image', 'a', 'reference_image'),
    ],
  });
  const message =
    'input.image_urls[0] is bad; input.aspect_ratio must be; input.seed is; input.prompt';
  assert.equal(
    renameFields(message, fieldNames),
    'content[2].image_url is bad; ratio must be; seed is; content (the text)',
  );
});

for (const [name, [, body]] of Object.entries(modelArkExamples)) {
  test(`the example ${name} would be accepted`, () => {
    const checked = checkGeneration(translate(body).body, {
      catalog,
      checkUrl: () => ({ ok: true }),
    });
    assert(checked.ok, checked.ok ? '' : checked.message);
  });
}
