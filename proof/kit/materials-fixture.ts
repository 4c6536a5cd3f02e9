/** The materials module over a real egress and a media server on 127.0.0.1, for one test. */
import type { TestContext } from 'node:test';
import { readConfig } from '../../server/config/config.ts';
import { createEgress, type EgressOptions } from '../../server/egress/egress.ts';
import { parseNetworks } from '../../server/egress/ip-address.ts';
import { createMaterials, type MaterialsOptions } from '../../server/materials/materials.ts';
import { createLog } from '../../server/telemetry/log.ts';
import { startMediaServer } from './media-server.ts';
import { generationOf } from './seed.ts';

type Urls = {
  readonly images?: readonly string[];
  readonly videos?: readonly string[];
  readonly audios?: readonly string[];
};

/** For tests of what is found, not of when: a busy machine may take its time. */
export const noHurry = { probeTimeoutMs: 120_000, measureMsMax: 60_000 } as const;

export async function startMaterialsFixture(
  t: TestContext,
  options: Partial<MaterialsOptions> & { readonly network?: Partial<EgressOptions> } = {},
) {
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
    /** Closes the module early; otherwise it closes at the end of the test. */
    close: () => materials.close(),
    /** Returns the joined messages and the lengths of a probe. */
    async probe({ images = [], videos = [], audios = [] }: Urls, accountId = 'account') {
      const generation = generationOf({
        model: 'vidgen-2-5',
        generationType: 'reference-to-video',
        imageUrls: images,
        videoUrls: videos,
        audioUrls: audios,
      });
      const { imageFormats: _, ...report } = await materials.probe({ accountId, generation });
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
