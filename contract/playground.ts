/** The dashboard's playground: generations created by a person instead of a key. */
import { z } from 'zod';
import { keyModes } from './models.ts';

export const PlaygroundQuery = z.strictObject({
  mode: z.enum(keyModes).describe('Which of the two balances pays.'),
});

export const PlaygroundEstimate = z
  .object({
    credits: z.int().min(1).describe('What it would reserve.'),
    upper_bound: z
      .boolean()
      .describe('It may reserve less: the length of a video to edit is not known yet.'),
    available: z.int().min(0).describe('What the account has in this mode.'),
    time: z
      .object({
        p50_seconds: z.number().min(0).describe('Median.'),
        p95_seconds: z.number().min(0).describe('95th percentile.'),
        tasks: z.int().min(1).describe('How many past tasks this is from.'),
      })
      .nullable()
      .describe(
        'How long the last completed tasks of this model, resolution and duration took, from ' +
          'creation to completion; null while there are none.',
      ),
  })
  .meta({ id: 'PlaygroundEstimate' });
export type PlaygroundEstimate = z.infer<typeof PlaygroundEstimate>;

/** A file that a person uploaded, with a URL that can be used as a material. */
export const Upload = z
  .object({
    url: z.string().describe('Use it in `image_urls`, `video_urls` or `audio_urls`.'),
    kind: z.enum(['image', 'video', 'audio']),
    bytes: z.int().min(1),
    expires_at: z.int().min(0).describe('When the file is deleted: Unix seconds.'),
  })
  .meta({ id: 'Upload' });
export type Upload = z.infer<typeof Upload>;
