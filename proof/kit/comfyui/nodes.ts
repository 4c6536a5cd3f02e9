/**
 * The nodes that the fake knows, with the inputs that ComfyUI declares for them, and
 * `/object_info`, which shows them. `VidgenReferences` stands for a custom node.
 */

type InputType = string | readonly string[];
type Limits = { readonly min?: number; readonly max?: number };
export type NodeInput = readonly [type: InputType, limits?: Limits];

export type NodeDefinition = {
  readonly required: Readonly<Record<string, NodeInput>>;
  readonly optional?: Readonly<Record<string, NodeInput>>;
  readonly outputs: readonly string[];
  /** Publishes results. */
  readonly isOutput?: true;
  /** The input that names an uploaded file. */
  readonly file?: string;
};

const side: NodeInput = ['INT', { min: 16, max: 16_384 }];
const shape = {
  width: side,
  height: side,
  length: ['INT', { min: 1, max: 16_384 }],
  batch_size: ['INT', { min: 1, max: 4_096 }],
} as const;
const video = { video: ['VIDEO'], filename_prefix: ['STRING'] } as const;

const numbered = (kind: string, count: number, type: string) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index): [string, NodeInput] => [
      `${kind}_${index + 1}`,
      [type],
    ]),
  );

export const nodes: Readonly<Record<string, NodeDefinition>> = {
  UNETLoader: {
    required: {
      unet_name: [['wan2.2_t2v.safetensors']],
      weight_dtype: [['default', 'fp8_e4m3fn']],
    },
    outputs: ['MODEL'],
  },
  CLIPLoader: {
    required: { clip_name: [['umt5_xxl.safetensors']], type: [['sd3', 'wan', 'hunyuan_image']] },
    outputs: ['CLIP'],
  },
  VAELoader: { required: { vae_name: [['wan_2.1_vae.safetensors']] }, outputs: ['VAE'] },
  CLIPTextEncode: { required: { text: ['STRING'], clip: ['CLIP'] }, outputs: ['CONDITIONING'] },
  EmptyHunyuanLatentVideo: { required: shape, outputs: ['LATENT'] },
  KSampler: {
    required: {
      model: ['MODEL'],
      seed: ['INT', { min: 0, max: 2 ** 64 }],
      steps: ['INT', { min: 1, max: 10_000 }],
      cfg: ['FLOAT', { min: 0, max: 100 }],
      sampler_name: [['euler', 'uni_pc', 'dpmpp_2m']],
      scheduler: [['simple', 'karras', 'beta']],
      positive: ['CONDITIONING'],
      negative: ['CONDITIONING'],
      latent_image: ['LATENT'],
      denoise: ['FLOAT', { min: 0, max: 1 }],
    },
    outputs: ['LATENT'],
  },
  VAEDecode: { required: { samples: ['LATENT'], vae: ['VAE'] }, outputs: ['IMAGE'] },
  CreateVideo: {
    required: { images: ['IMAGE'], fps: ['FLOAT', { min: 1, max: 120 }] },
    optional: { audio: ['AUDIO'] },
    outputs: ['VIDEO'],
  },
  SaveVideo: {
    required: { ...video, format: [['auto', 'mp4']], codec: [['auto', 'h264']] },
    outputs: [],
    isOutput: true,
  },
  LoadImage: { required: { image: ['FILE'] }, outputs: ['IMAGE', 'MASK'], file: 'image' },
  LoadVideo: { required: { file: ['FILE'] }, outputs: ['VIDEO'], file: 'file' },
  LoadAudio: { required: { audio: ['FILE'] }, outputs: ['AUDIO'], file: 'audio' },
  GetVideoComponents: { required: { video: ['VIDEO'] }, outputs: ['IMAGE', 'AUDIO', 'FLOAT'] },
  GetImageSize: { required: { image: ['IMAGE'] }, outputs: ['INT', 'INT', 'INT'] },
  VidgenReferences: {
    required: { conditioning: ['CONDITIONING'] },
    optional: {
      ...numbered('image', 3, 'IMAGE'),
      ...numbered('video', 2, 'VIDEO'),
      ...numbered('audio', 2, 'AUDIO'),
    },
    outputs: ['CONDITIONING'],
  },
};

/** The response of `GET /object_info`. */
export const objectInfo = (): Readonly<Record<string, object>> =>
  Object.fromEntries(
    Object.entries(nodes).map(([name, { required, optional = {}, outputs, isOutput = false }]) => [
      name,
      {
        input: { required, optional },
        input_order: { required: Object.keys(required), optional: Object.keys(optional) },
        output: outputs,
        output_is_list: outputs.map(() => false),
        output_name: outputs,
        name,
        display_name: name,
        description: '',
        python_module: 'nodes',
        category: 'video',
        output_node: isOutput,
      },
    ]),
  );
