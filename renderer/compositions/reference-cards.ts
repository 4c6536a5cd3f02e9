/** Opens the references of a job as cards. */
import { openMaterialCard } from '../card.ts';
import type { CardContent } from '../card-mount.ts';
import type { JobMaterial, MaterialKind } from '../render-job.ts';
import type { Size } from '../size.ts';
import { openAudioFile } from '../sound/audio-file.ts';
import { namingMaterial } from '../unusable.ts';
import type { CompositionContext } from './composition.ts';

export type Reference = {
  readonly kind: MaterialKind;
  readonly content: CardContent;
};

/** Images are reduced to the size they are shown at, since thirty large ones exceed the memory. */
export async function openReferences(clip: CompositionContext, area: Size): Promise<Reference[]> {
  const { materials } = clip.job;
  const { palette } = clip.setting;
  const { videos } = clip.plan;
  const visible = materials.filter(({ kind }) => kind !== 'audio').length;
  const longest = Math.max(area.width, area.height);
  const longestSide = Math.min(longest, (longest / Math.sqrt(Math.max(1, visible))) * 1.5);
  const references: Reference[] = [];
  for (const material of materials) {
    const content = await openMaterialCard(material, { palette, longestSide, videos });
    await checkAudio(material);
    references.push({ kind: material.kind, content });
  }
  return references;
}

/** A file that is not audio fails the task, even if the clip is silent. */
async function checkAudio(material: JobMaterial): Promise<void> {
  const { kind, file } = material;
  if (kind !== 'audio' || file === null) return;
  const audio = await namingMaterial(material, () => openAudioFile(file, { secondsMax: 1 }));
  await audio?.close();
}
