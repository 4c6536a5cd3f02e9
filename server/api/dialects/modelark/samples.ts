/** Samples of ModelArk's requests and tasks for the OpenAPI document. */
import type { Examples } from '../../http/endpoint-definition.ts';
import { taskId } from '../../http/samples.ts';

const text = { type: 'text', text: 'A paper boat drifts across a lake at dusk' };

export const modelArkExamples = {
  'text-to-video': [
    'Text to video',
    { model: 'vidgen-2-5', content: [text], resolution: '720p', ratio: '16:9', duration: 5 },
  ],
  'first-frame': [
    'A first and a last frame',
    {
      model: 'vidgen-2-5',
      content: [
        text,
        {
          type: 'image_url',
          image_url: { url: 'https://media.example.com/boat.png' },
          role: 'first_frame',
        },
        {
          type: 'image_url',
          image_url: { url: 'https://media.example.com/swan.png' },
          role: 'last_frame',
        },
      ],
      duration: 8,
    },
  ],
} as const satisfies Examples;

const head = {
  id: taskId,
  model: 'vidgen-2-5',
  created_at: 1_794_738_900,
  service_tier: 'default',
  execution_expires_after: 172_800,
  priority: 0,
};

export const queuedModelArkTask = { ...head, status: 'queued', updated_at: 1_794_738_900 };

export const succeededModelArkTask = {
  ...head,
  status: 'succeeded',
  updated_at: 1_794_739_034,
  error: null,
  content: { video_url: `https://videos.example.com/results/${taskId}/1.mp4?signature=abc` },
  usage: { completion_tokens: 40, total_tokens: 40 },
  resolution: '720p',
  ratio: '16:9',
  duration: 5,
  generate_audio: true,
  draft: false,
  output_format: 'mp4',
};
