/**
 * Frames of finished videos, as thumbnails. A frame is read once and its video is unloaded: a
 * browser opens six connections to a host, every `<video>` on a page holds one, and a `<video>`
 * outside the viewport may never show its frame.
 */
import { queryOptions } from '@tanstack/react-query';

const frameSeconds = 0.5;
/** Twice the width of a thumbnail, for screens with two pixels per CSS pixel. */
const frameWidth = 128;
let previousRead: Promise<unknown> = Promise.resolve();

/** Reads one video at a time, so that connections stay free for the result and for API calls. */
export const frameQuery = (taskId: string, url: string | null) =>
  queryOptions({
    queryKey: ['video-frame', taskId],
    queryFn: () => {
      const read = previousRead.then(() => readFrame(url ?? ''));
      previousRead = read.catch(() => {});
      return read;
    },
    enabled: url !== null,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

async function readFrame(url: string): Promise<ImageBitmap> {
  const video = document.createElement('video');
  try {
    await new Promise((resolve, reject) => {
      video.addEventListener('loadedmetadata', () => {
        video.currentTime = frameSeconds;
      });
      video.addEventListener('seeked', resolve);
      video.addEventListener('error', () => reject(new Error('the video cannot be read')));
      video.muted = true;
      video.preload = 'auto';
      video.src = url;
    });
    return await createImageBitmap(video, { resizeWidth: frameWidth, resizeQuality: 'medium' });
  } finally {
    // Without a source, `load` closes the connection.
    video.removeAttribute('src');
    video.load();
  }
}
