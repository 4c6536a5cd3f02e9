/**
 * Workflows as an operator would write them, one for each generation type; the fake knows their
 * nodes.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkflowSettings } from '../../../server/providers/comfyui/workflow.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';
import type { Graph } from './rules.ts';

/** Text to video with Wan 2.2; the other generation types add nodes. */
export function graphOf(more: Graph = {}, length: unknown = '{{frames}}'): Graph {
  return {
    '1': {
      class_type: 'UNETLoader',
      inputs: { unet_name: 'wan2.2_t2v.safetensors', weight_dtype: 'default' },
    },
    '2': { class_type: 'CLIPLoader', inputs: { clip_name: 'umt5_xxl.safetensors', type: 'wan' } },
    '3': {
      class_type: 'KSampler',
      inputs: {
        seed: '{{seed}}',
        steps: 20,
        cfg: 5,
        model: ['1', 0],
        latent_image: ['5', 0],
        sampler_name: 'uni_pc',
        scheduler: 'simple',
        denoise: 1,
        positive: more['50'] ? ['50', 0] : ['6', 0],
        negative: ['6', 0],
      },
    },
    '4': { class_type: 'VAEDecode', inputs: { samples: ['3', 0], vae: ['8', 0] } },
    '5': {
      class_type: 'EmptyHunyuanLatentVideo',
      inputs: { width: '{{width}}', height: '{{height}}', length, batch_size: 1 },
    },
    '6': { class_type: 'CLIPTextEncode', inputs: { text: '{{prompt}}', clip: ['2', 0] } },
    '8': { class_type: 'VAELoader', inputs: { vae_name: 'wan_2.1_vae.safetensors' } },
    '9': {
      class_type: 'SaveVideo',
      inputs: {
        video: ['10', 0],
        filename_prefix: 'vidgen/{{operation}}',
        format: 'mp4',
        codec: 'h264',
      },
    },
    '10': { class_type: 'CreateVideo', inputs: { images: ['4', 0], fps: 16 } },
    ...more,
  };
}

const load =
  (class_type: string, input: string) =>
  (name: string): Graph[string] => ({ class_type, inputs: { [input]: `{{${name}}}` } });
const image = load('LoadImage', 'image');
const video = load('LoadVideo', 'file');
const audio = load('LoadAudio', 'audio');

/** Nodes that load files, and one that uses them. */
const withFiles = (loaders: Graph): Graph => {
  const links = Object.keys(loaders).map((id) => [`file_${id}`, [id, 0]]);
  const inputs = { conditioning: ['6', 0], ...Object.fromEntries(links) };
  return { ...loaders, '50': { class_type: 'VidgenReferences', inputs } };
};

export const graphs = {
  text: graphOf(),
  firstFrame: graphOf(withFiles({ '20': image('first_frame') })),
  bothFrames: graphOf(withFiles({ '20': image('first_frame'), '21': image('last_frame') })),
  references: graphOf(
    withFiles({
      '20': image('image_1'),
      '21': image('image_2'),
      '22': image('image_3'),
      '30': video('video_1'),
      '31': video('video_2'),
      '40': audio('audio_1'),
      '41': audio('audio_2'),
    }),
  ),
  // As long as its source video: the number of its images.
  edit: graphOf(
    {
      ...withFiles({ '30': video('video_1') }),
      '60': { class_type: 'GetVideoComponents', inputs: { video: ['30', 0] } },
      '61': { class_type: 'GetImageSize', inputs: { image: ['60', 0] } },
    },
    ['61', 2],
  ),
} as const;

/** Writes graphs into files of a new folder. */
export async function writeWorkflows(
  chosen: Readonly<Record<string, Graph>> = graphs,
): Promise<WorkflowSettings[]> {
  const folder = makeTemporaryFolder('workflows');
  const workflows = Object.entries(chosen).map(async ([name, graph]) => {
    const file = join(folder, `${name}.json`);
    await writeFile(file, JSON.stringify(graph));
    return { file, fps: 16, frameStep: 4 };
  });
  return await Promise.all(workflows);
}
