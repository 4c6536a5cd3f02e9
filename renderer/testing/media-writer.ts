/** Encodes frames into the tracks of a media file with node-av, for tests. */
import { Encoder, type EncoderOptions, FilterAPI, Muxer } from 'node-av/api';
import * as constants from 'node-av/constants';
import { Frame, Log } from 'node-av/lib';
import { sampleRate } from '../sound/sound.ts';

/** The library does not copy the bytes of a frame: they must stay alive as long as it does. */
export type RawFrame = { readonly frame: Frame; readonly bytes: Buffer };

export type TrackRecipe = {
  readonly codec: string;
  readonly encoder: EncoderOptions;
  readonly filter: FilterAPI;
  readonly frames: Iterable<RawFrame>;
};

export async function writeMedia(
  file: string,
  recipe: {
    readonly format: string;
    readonly options?: Readonly<Record<string, string | number>>;
    readonly tracks: readonly TrackRecipe[];
  },
): Promise<string> {
  Log.setLevel(constants.AV_LOG_ERROR);
  const muxer = await Muxer.open(file, {
    format: recipe.format,
    options: { fflags: '+bitexact', ...recipe.options },
  });
  // All streams must be added before the first packet is written.
  const opened = [];
  for (const track of recipe.tracks) {
    const encoder = await Encoder.create(track.codec as never, track.encoder);
    opened.push({ ...track, encoder, stream: muxer.addStream(encoder) });
  }
  for (const { encoder, stream, filter, frames } of opened) {
    const encode = async (frame: Frame | null): Promise<void> => {
      for (const packet of await encoder.encodeAll(frame)) {
        await muxer.writePacket(packet, stream);
        packet.free();
      }
    };
    for (const { frame, bytes } of frames) {
      for (const filtered of await filter.processAll(frame)) {
        await encode(filtered);
        filtered.free();
      }
      frame.free();
      bytes.fill(0);
    }
    for (const filtered of await filter.processAll(null)) await encode(filtered);
    await encode(null);
  }
  await muxer.close();
  return file;
}

/** An audio track of interleaved stereo samples. */
export function audioTrack(options: {
  readonly codec: string;
  readonly sampleFormat: string;
  readonly frameSamples: number;
  readonly bitRate: `${number}k`;
  readonly samples: Float32Array;
  readonly rate?: number;
}): TrackRecipe {
  const { codec, bitRate, sampleFormat, frameSamples } = options;
  return {
    ...{ codec, encoder: { context: { bitRate } } },
    filter: FilterAPI.create(
      `aformat=sample_fmts=${sampleFormat}:channel_layouts=stereo,` +
        `asetnsamples=n=${frameSamples}:p=0`,
    ),
    frames: audioFrames(options.samples, options.rate ?? sampleRate),
  };
}

function* audioFrames(samples: Float32Array, rate: number): Generator<RawFrame> {
  for (let from = 0; from < samples.length; from += sampleRate * 2) {
    const bytes = Buffer.from(samples.slice(from, from + sampleRate * 2).buffer);
    const frame = Frame.fromAudioBuffer(bytes, {
      nbSamples: bytes.length / 8,
      format: constants.AV_SAMPLE_FMT_FLT,
      sampleRate: rate,
      channelLayout: constants.AV_CHANNEL_LAYOUT_STEREO,
      timeBase: { num: 1, den: rate },
      pts: BigInt(from / 2),
    });
    yield { frame, bytes };
  }
}
