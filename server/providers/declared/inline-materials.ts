/**
 * Materials in the body of a start, for an upstream that fetches no URLs. They are downloaded here
 * under the egress rules; the files of one start have at most 24 MiB.
 */
import { readFile, stat } from 'node:fs/promises';
import type { StartRequest, StartResult } from '../provider.ts';
import { hasMaterials, type MaterialOptions, withMaterials } from '../toolkit/materials.ts';
import { rejectedStart } from '../toolkit/start-result.ts';

/** The formats that are recognized after the download. */
export const inlineImageFormats: readonly string[] = ['JPEG', 'PNG', 'WebP', 'GIF', 'BMP'];
const inlineBytesMax = 24 * 1024 ** 2;
const downloadSecondsMax = 60;

/** Calls `start` with a request whose URLs are the contents of the files. */
export async function withInlineMaterials<Result>(
  request: StartRequest,
  options: MaterialOptions & { readonly form: 'base64' | 'data-url' },
  start: (request: StartRequest) => Promise<Result>,
): Promise<Result | StartResult> {
  if (!hasMaterials(request.generation)) return await start(request);
  const secondsMax = Math.min(downloadSecondsMax, request.secondsLeft);
  return await withMaterials(request.generation, { ...options, secondsMax }, async (files) => {
    const sizes = await Promise.all(files.map(async ({ file }) => (await stat(file)).size));
    if (sizes.reduce((sum, size) => sum + size, 0) > inlineBytesMax) {
      return rejectedStart({ reason: 'failed', detail: 'the materials have more than 24 MiB' });
    }
    const contents = { image: [], video: [], audio: [] } as Record<string, string[]>;
    for (const { kind, index, file, contentType } of files) {
      const base64 = await readFile(file, 'base64');
      contents[kind]![index] =
        options.form === 'base64' ? base64 : `data:${contentType};base64,${base64}`;
    }
    const { image: imageUrls, video: videoUrls, audio: audioUrls } = contents;
    const generation = {
      ...request.generation,
      imageUrls: imageUrls!,
      videoUrls: videoUrls!,
      audioUrls: audioUrls!,
    };
    return await start({ ...request, generation });
  });
}
