/** The materials of a generation: each URL with its field and its kind. */
import type { Generation } from '@vidgen/contract/create-generation.ts';

const materialKinds = ['image', 'video', 'audio'] as const;
export type MaterialKind = (typeof materialKinds)[number];

export type Material = {
  readonly kind: MaterialKind;
  readonly url: string;
  /** The field path in messages, such as `input.video_urls[1]`. */
  readonly path: string;
};

export type MaterialSizeLimits = Readonly<Record<MaterialKind, number>>;

/** In the order of the request: images, videos, audio files (docs/spec.md 2.2). */
export function listMaterials(generation: Generation): Material[] {
  const { imageUrls, videoUrls, audioUrls } = generation;
  const urlsOf = { image: imageUrls, video: videoUrls, audio: audioUrls };
  return materialKinds.flatMap((kind) =>
    urlsOf[kind].map((url, index) => ({ kind, url, path: `input.${kind}_urls[${index}]` })),
  );
}
