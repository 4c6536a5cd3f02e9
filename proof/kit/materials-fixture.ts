/** The materials module over a real egress and a media server on 127.0.0.1, for one test. */
import type { TestContext } from 'node:test';
import { readConfig } from '../../server/config.ts';
import { createEgress, type EgressOptions } from '../../server/egress/egress.ts';
import { parseNetworks } from '../../server/egress/ip-address.ts';
import { createLog } from '../../server/log.ts';
import { createMaterials, type MaterialsOptions } from '../../server/materials/materials.ts';
import { type MediaServer, startMediaServer } from './media-server.ts';
import { generationOf } from './seed.ts';

type Urls = {
  readonly images?: readonly string[];
  readonly videos?: readonly string[];
  readonly audios?: readonly string[];
};

export type MaterialsFixture = {
  readonly server: MediaServer;
  /** Returns the joined messages and the lengths of a probe. */
  probe(urls: Urls, accountId?: string): Promise<ProbeTexts>;
  /** Closes the module early; otherwise it closes at the end of the test. */
  close(): void;
};

type ProbeTexts = {
  readonly problems: string;
  readonly unreachable: string;
  readonly videos: readonly (number | null)[];
  readonly audios: readonly (number | null)[];
  readonly isBusy: boolean;
};

export async function startMaterialsFixture(
  t: TestContext,
  options: Partial<MaterialsOptions> & { readonly network?: Partial<EgressOptions> } = {},
): Promise<MaterialsFixture> {
  const { network, ...materialsOptions } = options;
  const server = await startMediaServer();
  const allowedNetworks = parseNetworks('127.0.0.0/8');
  const egress = createEgress({ allowedNetworks, ...network });
  const sizes = readConfig({}).materialBytesMax;
  const materials = createMaterials({
    egress,
    sizes,
    log: createLog('silent'),
    ...materialsOptions,
  });
  t.after(async () => {
    materials.close();
    egress.close();
    await server.close();
  });
  return {
    server,
    close: () => materials.close(),
    async probe({ images = [], videos = [], audios = [] }, accountId = 'account') {
      const generation = generationOf({
        model: 'vidgen-2-5',
        generationType: 'reference-to-video',
        imageUrls: images,
        videoUrls: videos,
        audioUrls: audios,
      });
      const report = await materials.probe({ accountId, generation });
      const joinMessages = (problems: typeof report.problems) =>
        problems.map(({ message }) => message).join('; ');
      return {
        ...report,
        problems: joinMessages(report.problems),
        unreachable: joinMessages(report.unreachable),
      };
    },
  };
}
