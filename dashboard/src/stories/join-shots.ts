/**
 * Joins videos to one MP4 in the browser without encoding anything again, so nothing is lost and
 * the service does not read untrusted files. All must be encoded alike; one that is not is named.
 */
import {
  BlobSource,
  BufferTarget,
  EncodedAudioPacketSource,
  type EncodedPacket,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  Input,
  type InputAudioTrack,
  type InputVideoTrack,
  MP4,
  Mp4OutputFormat,
  Output,
  QTFF,
} from 'mediabunny';

/** Why the shots cannot be joined, for the person. */
export class CannotJoin extends Error {}

type Config = Partial<VideoDecoderConfig & AudioDecoderConfig>;
type Track<Kind> = { readonly track: Kind; readonly config: Config };
type Shot = {
  readonly video: Track<InputVideoTrack>;
  readonly audio: Track<InputAudioTrack> | null;
};

/** In the order of the story. Throws `CannotJoin`. */
export async function joinShots(files: readonly Blob[]): Promise<Blob> {
  const shots: Shot[] = [];
  for (const [at, file] of files.entries()) shots.push(await openShot(file, at + 1));
  requireAlike(shots);
  const output = new Output({
    format: new Mp4OutputFormat({ fastStart: 'in-memory' }),
    target: new BufferTarget(),
  });
  const writer = await openWriter(output, shots);
  await output.start();
  let start = 0;
  for (const [at, shot] of shots.entries()) {
    start = await writer.add(shot, { start, isLast: at === shots.length - 1 });
  }
  await output.finalize();
  return new Blob([output.target.buffer!], { type: 'video/mp4' });
}

async function openShot(file: Blob, number: number): Promise<Shot> {
  try {
    const input = new Input({ source: new BlobSource(file), formats: [MP4, QTFF] });
    const video = await input.getPrimaryVideoTrack();
    const audio = await input.getPrimaryAudioTrack();
    const videoConfig = await video?.getDecoderConfig();
    const audioConfig = await audio?.getDecoderConfig();
    if (video && videoConfig) {
      return {
        video: { track: video, config: videoConfig },
        audio: audio && audioConfig ? { track: audio, config: audioConfig } : null,
      };
    }
  } catch {
    // Reported below.
  }
  throw new CannotJoin(`Shot ${number} isn’t an MP4 that can be joined.`);
}

function requireAlike(shots: readonly Shot[]): void {
  const [first] = shots as [Shot];
  const firstAudio = shots.find(({ audio }) => audio !== null)?.audio ?? null;
  for (const [at, { video, audio }] of shots.entries()) {
    const is = video.config;
    const was = first.video.config;
    const size = sizeOf(is);
    const firstSize = sizeOf(was);
    if (size !== firstSize) {
      throw new CannotJoin(`Shot ${at + 1} is ${size} and shot 1 is ${firstSize}. ${alikeHint}`);
    }
    if (!isAlike(is, was)) {
      throw new CannotJoin(`The video of shot ${at + 1} is encoded differently. ${alikeHint}`);
    }
    if (audio && firstAudio && !isAlike(audio.config, firstAudio.config)) {
      throw new CannotJoin(`The audio of shot ${at + 1} is encoded differently. ${alikeHint}`);
    }
  }
}

const alikeHint = 'Shots of the same model, resolution and shape can be joined.';

const sizeOf = ({ codedWidth = 0, codedHeight = 0 }: Config): string =>
  `${codedWidth} × ${codedHeight}`;

const isAlike = (one: Config, other: Config): boolean =>
  one.codec === other.codec &&
  one.sampleRate === other.sampleRate &&
  one.numberOfChannels === other.numberOfChannels &&
  bytesText(one.description) === bytesText(other.description);

function bytesText(bytes: AllowSharedBufferSource | undefined): string {
  if (bytes === undefined) return '';
  return (
    ArrayBuffer.isView(bytes)
      ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      : new Uint8Array(bytes)
  ).join();
}

async function openWriter(output: Output, shots: readonly Shot[]) {
  const [first] = shots as [Shot];
  const firstAudio = shots.find(({ audio }) => audio !== null)?.audio ?? null;
  const videoSource = new EncodedVideoPacketSource((await first.video.track.getCodec())!);
  output.addVideoTrack(videoSource);
  const audioCodec = firstAudio && (await firstAudio.track.getCodec());
  const audioSource = audioCodec ? new EncodedAudioPacketSource(audioCodec) : null;
  if (audioSource) output.addAudioTrack(audioSource);
  let audioEnd = 0;

  return {
    /** Returns where the next shot starts, in seconds. */
    async add(shot: Shot, at: { readonly start: number; readonly isLast: boolean }) {
      const sink = new EncodedPacketSink(shot.video.track);
      const shift = at.start - (await shot.video.track.getFirstTimestamp());
      const repeated = at.isLast ? null : await repeatedPacket(sink);
      let end = at.start;
      for await (const packet of sink.packets(undefined, repeated ?? undefined)) {
        const moved = packet.clone({ timestamp: packet.timestamp + shift });
        end = Math.max(end, moved.timestamp + moved.duration);
        await videoSource.add(moved, { decoderConfig: shot.video.config as VideoDecoderConfig });
      }
      if (shot.audio && audioSource) {
        const decoderConfig = shot.audio.config as AudioDecoderConfig;
        const limit = at.isLast ? Number.POSITIVE_INFINITY : end;
        for await (const packet of new EncodedPacketSink(shot.audio.track).packets()) {
          const timestamp = packet.timestamp + shift;
          // Packets do not end with the frames: at a joint, the nearer one of two is kept.
          if (timestamp < audioEnd - packet.duration / 2) continue;
          if (timestamp >= limit) break;
          audioEnd = timestamp + packet.duration;
          await audioSource.add(packet.clone({ timestamp }), { decoderConfig });
        }
      }
      return end;
    },
  };
}

/**
 * The last frame of a shot is also the first of the next one. Returns it to be left out, unless
 * other frames are decoded from it.
 */
async function repeatedPacket(sink: EncodedPacketSink): Promise<EncodedPacket | null> {
  const last = await sink.getPacket(Number.POSITIVE_INFINITY);
  const first = await sink.getFirstPacket();
  if (!last || last.sequenceNumber === first?.sequenceNumber) return null;
  return (await sink.getNextPacket(last)) === null ? last : null;
}
