/** Sample create requests, one for each way to generate a video. A test runs them. */
import type { Examples } from '../http/endpoint-definition.ts';

const callback_url = 'https://hooks.example.com/vidgen';

export const generationExamples = {
  'text-to-video': [
    'Text to video',
    {
      model: 'vidgen-2-5',
      callback_url,
      input: { prompt: 'A paper boat on a lake', aspect_ratio: '16:9' },
    },
  ],
  'image-to-video': [
    'Image to video: first and last frame',
    {
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
  ],
  'reference-to-video': [
    'Reference to video: images, a video and audio',
    {
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
  ],
  'video-editing': [
    'Video editing',
    {
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
  ],
  'video-extension': [
    'Video extension: a source and the length of the output',
    {
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
  ],
} as const satisfies Examples;
