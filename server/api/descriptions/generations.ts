/** `POST /v1/videos/generations` (Spec 4.1) and its estimate, with an example of every mode. */
import {
  CreateGenerationRequest,
  CreateGenerationResponse,
  EstimateResponse,
} from '@vidgen/contract/create-generation.ts';
import type { Examples, RouteDescription } from '../http/endpoint.ts';
import { apiKeyErrors, errorResponses } from './errors.ts';
import { taskId } from './samples.ts';

const callback_url = 'https://hooks.example.com/vidgen';

export const generationExamples = {
  'text-to-video': {
    summary: 'Text to video: the prompt is enough',
    value: {
      model: 'vidgen-2-5',
      callback_url,
      input: { prompt: 'A paper boat drifts down a rainy street at dusk', aspect_ratio: '16:9' },
    },
  },
  'image-to-video': {
    summary: 'Image to video: first and last frame',
    value: {
      model: 'vidgen-2-5',
      callback_url,
      input: {
        prompt: 'The boat unfolds into a swan',
        generation_type: 'image-to-video',
        image_urls: ['https://media.example.com/boat.png', 'https://media.example.com/swan.png'],
        duration: 8,
        resolution: '1080p',
        return_last_frame: true,
      },
    },
  },
  'reference-to-video': {
    summary: 'Reference to video: images, a video and audio',
    value: {
      model: 'vidgen-2-0',
      callback_url,
      input: {
        prompt: 'The boat sails through the street to the music',
        generation_type: 'reference-to-video',
        image_urls: ['https://media.example.com/boat.png'],
        video_urls: ['https://media.example.com/street.mp4'],
        audio_urls: ['https://media.example.com/rain.mp3'],
        duration: 10,
        aspect_ratio: '21:9',
        seed: 42,
      },
    },
  },
  'video-editing': {
    summary: 'Video editing: duration -1, as long as its source',
    value: {
      model: 'vidgen-2-5',
      callback_url,
      input: {
        prompt: 'Make the street snowy',
        generation_type: 'reference-to-video',
        video_urls: ['https://media.example.com/street.mp4'],
        duration: -1,
        aspect_ratio: 'adaptive',
      },
    },
  },
  'video-extension': {
    summary: 'Video extension: a source and the length of the output',
    value: {
      model: 'vidgen-2-5',
      callback_url,
      input: {
        prompt: 'Continue the shot until the boat reaches the harbour',
        generation_type: 'reference-to-video',
        video_urls: ['https://media.example.com/street.mp4'],
        duration: 12,
        aspect_ratio: 'adaptive',
      },
    },
  },
} as const satisfies Examples;

export const createGeneration: RouteDescription = {
  operationId: 'createGeneration',
  method: 'POST',
  path: '/v1/videos/generations',
  summary: 'Create a video task',
  description:
    'Accepts the task, reserves its credits, and answers at once. Poll the task, or give a ' +
    '`callback_url`. Materials are looked at before anything is reserved. A request that is ' +
    'repeated with the same `Idempotency-Key` gets the first answer again and reserves nothing.',
  tag: 'Videos',
  auth: 'key',
  permission: 'videos:create',
  body: CreateGenerationRequest,
  requestHeaders: ['Idempotency-Key'],
  requestExamples: generationExamples,
  responses: {
    200: {
      description: 'The task is accepted and its credits are reserved.',
      schema: CreateGenerationResponse,
      headers: ['vidgen-ignored'],
      examples: {
        accepted: { summary: 'Accepted', value: { taskId, credits: 40 } },
      },
    },
    ...errorResponses(['invalid_request', 'insufficient_credits', ...apiKeyErrors]),
  },
};

export const estimateGeneration: RouteDescription = {
  operationId: 'estimateGeneration',
  method: 'POST',
  path: '/v1/videos/generations/estimate',
  summary: 'What a task would cost',
  description:
    'Takes the body of create, judges it the same way, and reserves nothing. Nothing is fetched.',
  tag: 'Videos',
  auth: 'key',
  permission: 'videos:create',
  extension: true,
  body: CreateGenerationRequest,
  requestExamples: generationExamples,
  responses: {
    200: {
      description: 'The credits that create would reserve.',
      schema: EstimateResponse,
      headers: ['vidgen-ignored'],
      examples: { estimate: { summary: 'An estimate', value: { credits: 40 } } },
    },
    ...errorResponses(['invalid_request', ...apiKeyErrors]),
  },
};
