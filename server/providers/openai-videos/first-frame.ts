/**
 * The first frame on its way to a generator. It is fetched here, through the guard, and uploaded:
 * a server in our own network is never told an address to fetch from inside.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { sleep, timeoutSignal } from '../../clock.ts';
import type { FetchMaterial, MaterialOptions } from '../toolkit/fetch-material.ts';
import { type ImageInfo, readHead, readImageInfo } from '../toolkit/image-info.ts';

export type FirstFrame = ImageInfo & { readonly file: string };

const fetchMsMax = 60_000;
/** A host that stumbles once is no reason to fail what was paid for. */
const fetchAttemptsMax = 2;
const retryDelayMs = 1_000;
/** The longest that fetching can take. */
export const firstFrameSecondsMax = (fetchAttemptsMax * fetchMsMax + retryDelayMs) / 1000;

/** Why nothing was sent: the picture is at fault, or this machine, which may do better later. */
export type FrameFailure = { readonly fault: 'image' | 'machine'; readonly detail: string };

/** Calls `use` with the frame, or with null for a generation that has none. */
export async function withFirstFrame<Result>(
  generation: Generation,
  options: MaterialOptions,
  use: (firstFrame: FirstFrame | null) => Promise<Result>,
): Promise<Result | FrameFailure> {
  const [url] = generation.generationType === 'image-to-video' ? generation.imageUrls : [];
  if (url === undefined) return await use(null);
  const file = join(options.tempFolder, `first-frame-${randomUUID()}`);
  try {
    const prepared = await prepare(options, { url, into: file }).catch(
      (error: Error): FrameFailure => ({ fault: 'machine', detail: error.message }),
    );
    return 'fault' in prepared ? prepared : await use({ ...prepared, file });
  } finally {
    // A file that stays behind must not hide what came of the start.
    await rm(file, { force: true }).catch(() => {});
  }
}

async function prepare(
  { fetchMaterial, materialBytesMax, tempFolder }: MaterialOptions,
  frame: { readonly url: string; readonly into: string },
): Promise<ImageInfo | FrameFailure> {
  await mkdir(tempFolder, { recursive: true });
  const bytesMax = materialBytesMax.image;
  if (!(await fetchFrame(fetchMaterial, { ...frame, bytesMax }))) {
    return { fault: 'image', detail: 'input.image_urls[0] could not be fetched' };
  }
  const image = readImageInfo(await readHead(frame.into));
  return image ?? { fault: 'image', detail: 'input.image_urls[0] is no picture' };
}

async function fetchFrame(
  fetchMaterial: FetchMaterial,
  frame: { readonly url: string; readonly into: string; readonly bytesMax: number },
): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    const signal = timeoutSignal(fetchMsMax);
    const result = await fetchMaterial({ ...frame, kind: 'image', signal }).catch(() => null);
    if (result?.saved) return true;
    if (attempt === fetchAttemptsMax) return false;
    await sleep(retryDelayMs);
  }
}
