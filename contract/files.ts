/** Extension: `POST /v1/files`, files that are sent with an API key to be used as materials. */
import { z } from 'zod';

export const UploadForm = z
  .object({ file: z.string().meta({ format: 'binary', description: 'The file.' }) })
  .meta({ id: 'UploadForm' });

export const UploadedFile = z
  .object({
    id: z.string().describe('Identifies the file in this account: `file_…`.'),
    url: z.string().describe('A signed URL to use in `image_urls`, `video_urls` or `audio_urls`.'),
    content_type: z.string().describe('What the file is, by its first bytes.'),
    bytes: z.int().min(1),
    expires_at: z.int().min(0).describe('When the URL expires: Unix seconds.'),
  })
  .meta({ id: 'UploadedFile' });
export type UploadedFile = z.infer<typeof UploadedFile>;
