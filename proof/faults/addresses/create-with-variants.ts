/**
 * The same spellings as the callback address of a create: what its text is enough to refuse is
 * answered 400, what is good gets past it, and nothing is answered 5xx.
 */
import { textToVideo } from '../../kit/journey.ts';
import { startService } from '../../kit/service.ts';
import { urlVariants } from './url-variants.ts';

export type CreateCounts = {
  readonly creates: number;
  /** Answered 400; and 402, since nobody pays for them. */
  readonly rejected: number;
  readonly passed: number;
  readonly violations: readonly string[];
};

const path = '/v1/videos/generations';
const violationsMax = 50;

export async function createWithVariants(options: {
  readonly seed: number;
  readonly runs: number;
  readonly signal?: AbortSignal;
}): Promise<CreateCounts> {
  const service = await startService({
    engine: 'embedded',
    environment: { VIDGEN_ALLOWED_NETWORKS: '', VIDGEN_RATE_CREATE: '0' },
  });
  const violations: string[] = [];
  let creates = 0;
  let rejected = 0;
  let passed = 0;
  try {
    // Without credits: what gets past the address is answered 402, and nothing is ever started.
    const { key } = await service.account();
    const headers = { authorization: `Bearer ${key}` };
    for (const { url, technique, isTextEnough, mustArrive } of urlVariants(options.seed)) {
      if (creates >= options.runs || options.signal?.aborted) break;
      const payload = { ...textToVideo, callback_url: url };
      const response = await service.parts.api!.server.inject({
        method: 'POST',
        url: path,
        headers,
        payload,
      });
      creates += 1;
      if (response.statusCode === 400) rejected += 1;
      if (response.statusCode === 402) passed += 1;
      const expected = isTextEnough ? [400] : mustArrive.includes('callback') ? [402] : [400, 402];
      if (!expected.includes(response.statusCode) && violations.length < violationsMax) {
        violations.push(
          `a create was answered ${response.statusCode}: ${JSON.stringify(url)} (${technique})`,
        );
      }
    }
  } finally {
    await service.close();
  }
  return { creates, rejected, passed, violations };
}
