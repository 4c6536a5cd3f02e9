/** A room of materials over a real egress and a media server on 127.0.0.1, for one test. */
import type { TestContext } from 'node:test';
import { readConfig } from '../../server/config.ts';
import { parseNetworks } from '../../server/egress/address.ts';
import { createEgress, type EgressOptions } from '../../server/egress/egress.ts';
import { createLog } from '../../server/log.ts';
import { createMaterials, type MaterialsOptions } from '../../server/materials/materials.ts';
import { type MediaServer, startMediaServer } from './media-server.ts';
import { generationOf } from './seed.ts';

export type Urls = {
  readonly images?: readonly string[];
  readonly videos?: readonly string[];
  readonly audios?: readonly string[];
};

export type MaterialsBench = {
  readonly server: MediaServer;
  /** What is told of them: all sentences, and the lengths. */
  look(urls: Urls, accountId?: string): Promise<Told>;
  /** Of the room; the test's end does it otherwise. */
  close(): void;
};

export type Told = {
  readonly problems: string;
  readonly notReached: string;
  readonly videos: readonly (number | null)[];
  readonly audios: readonly (number | null)[];
};

export async function startMaterialsBench(
  t: TestContext,
  options: Partial<MaterialsOptions> & { readonly network?: Partial<EgressOptions> } = {},
): Promise<MaterialsBench> {
  const { network, ...room } = options;
  const server = await startMediaServer();
  const allowedNetworks = parseNetworks('127.0.0.0/8');
  const egress = createEgress({ allowedNetworks, ...network });
  const sizes = readConfig({}).materialBytesMax;
  const materials = createMaterials({ egress, sizes, log: createLog('silent'), ...room });
  t.after(async () => {
    materials.close();
    egress.close();
    await server.close();
  });
  return {
    server,
    close: () => materials.close(),
    async look({ images = [], videos = [], audios = [] }, accountId = 'account') {
      const generation = generationOf({
        model: 'vidgen-2-5',
        generationType: 'reference-to-video',
        imageUrls: images,
        videoUrls: videos,
        audioUrls: audios,
      });
      const looked = await materials.look({ accountId, generation });
      const told = (problems: typeof looked.problems) =>
        problems.map(({ words }) => words).join('; ');
      return {
        ...looked,
        problems: told(looked.problems),
        notReached: told(looked.notReached),
      };
    },
  };
}
