/** Reads the last frame of a video in the browser, for videos that were made without saving it. */
import { fetchFile } from '../api/files.ts';

const jpegQuality = 0.95;
const readMs = 30_000;
/** A frame takes a few milliseconds, on a busy machine a second. */
const showMs = 3000;
const longFrameSeconds = 0.1;

/** A JPEG. Throws an error with a message for the person. */
export async function readLastFrame(videoUrl: string): Promise<File> {
  const canvas = await drawEnd(await fetchFile(videoUrl, 'the video'));
  const jpeg = await new Promise<Blob | null>((resolve) =>
    canvas.toBlob(resolve, 'image/jpeg', jpegQuality),
  );
  if (jpeg === null) throw unreadable();
  return new File([jpeg], 'last-frame.jpg', { type: 'image/jpeg' });
}

async function drawEnd(file: Blob): Promise<HTMLCanvasElement> {
  const video = document.createElement('video');
  const source = URL.createObjectURL(file);
  try {
    video.muted = true;
    video.preload = 'auto';
    const loaded = nextEvent(video, 'loadeddata');
    video.src = source;
    await loaded;
    if (!Number.isFinite(video.duration)) throw unreadable();
    const shown = whenEndIsShown(video);
    const seeked = nextEvent(video, 'seeked');
    video.currentTime = video.duration;
    await seeked;
    await shown;
    const canvas = document.createElement('canvas');
    canvas.width = video.videoWidth;
    canvas.height = video.videoHeight;
    canvas.getContext('2d', { alpha: false })!.drawImage(video, 0, 0);
    return canvas;
  } finally {
    video.removeAttribute('src');
    URL.revokeObjectURL(source);
  }
}

/**
 * The video has ended its search before it shows the frame: a picture drawn at once may have an
 * earlier frame, or be black. A tab in the background shows no frames, an older browser does not
 * tell, and some frames are long, so this waits only for a while.
 */
function whenEndIsShown(video: HTMLVideoElement): Promise<void> {
  return new Promise((resolve) => {
    const watch = () =>
      video.requestVideoFrameCallback?.((_, { mediaTime }) => {
        if (video.duration - mediaTime < longFrameSeconds) resolve();
        else watch();
      });
    watch();
    setTimeout(resolve, showMs);
  });
}

const nextEvent = (video: HTMLVideoElement, name: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const fail = () => reject(unreadable());
    video.addEventListener(name, () => resolve(), { once: true });
    video.addEventListener('error', fail, { once: true });
    setTimeout(fail, readMs);
  });

const unreadable = (): Error => new Error('This browser can’t play the video.');
