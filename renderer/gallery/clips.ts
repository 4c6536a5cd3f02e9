/**
 * The clips of the gallery: every scene, aspect ratio and mode, several languages, times and
 * weathers.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';

export type GalleryClip = {
  readonly prompt: string;
  /** Indexes of gallery clips whose frames or first seconds serve as materials. */
  readonly images?: readonly number[];
  readonly videos?: readonly number[];
  readonly change?: Partial<Generation>;
  readonly second?: number;
};

const references = { model: 'vidgen-2-5', generationType: 'reference-to-video' } as const;

export const galleryClips: readonly GalleryClip[] = [
  { prompt: 'A lighthouse on misty cliffs at sunrise, slow dolly in over a calm sea' },
  { prompt: 'Neon city skyline in the rain at night', change: { watermark: true } },
  { prompt: 'An astronaut drifting past a ringed planet', change: { aspectRatio: '21:9' } },
  { prompt: 'A deer in an autumn forest, morning mist', change: { aspectRatio: '9:16' } },
  { prompt: 'Snow falls on a mountain village at night' },
  { prompt: 'Rain on a window, city lights outside', change: { aspectRatio: '1:1' } },
  { prompt: 'A caravan crosses golden dunes at sunset', change: { aspectRatio: '4:3' } },
  { prompt: 'A camp fire under the stars, sparks rising', change: { aspectRatio: '9:16' } },
  { prompt: 'A meadow of wild flowers with butterflies' },
  { prompt: 'The feeling of a quiet idea becoming music', change: { aspectRatio: '21:9' } },
  { prompt: 'Alpine peaks above a mirror lake at dawn, drone shot' },
  { prompt: 'A coral reef, shafts of sunlight, jellyfish', change: { aspectRatio: '3:4' } },
  { prompt: 'Storm over the open sea, lightning, a small boat' },
  { prompt: '東京の夜、雨に濡れたネオンの街', change: { aspectRatio: '9:16' } },
  { prompt: 'Северное сияние над заснеженной долиной' },
  { prompt: 'غروب الشمس فوق البحر', change: { aspectRatio: '4:3' } },
  { prompt: 'रेगिस्तान में सूर्योदय' },
  {
    prompt: 'Fireworks over the river at night 🎆',
    change: { aspectRatio: '1:1' },
    second: 1.6,
  },
  {
    prompt: 'The camera drifts closer as the light changes',
    images: [10],
    change: { generationType: 'image-to-video' },
  },
  {
    prompt: 'From the peaks down to the sea',
    images: [10, 0],
    change: { generationType: 'image-to-video' },
    second: 2.4,
  },
  {
    prompt: 'Three places remembered as one dream at dusk',
    images: [4, 8, 2],
    change: references,
  },
  {
    prompt: 'Everything we saw on the way, seven pictures in one',
    images: [0, 1, 3, 5, 6, 7, 12],
    change: { ...references, aspectRatio: '1:1' },
    second: 4,
  },
  {
    prompt: 'Turn it into a watercolor painting',
    videos: [0],
    change: { ...references, duration: -1, aspectRatio: 'adaptive' },
    second: 3,
  },
  {
    prompt: 'The shot goes on into the night, neon lights',
    videos: [0],
    change: { ...references, aspectRatio: 'adaptive' },
    second: 4.2,
  },
];
