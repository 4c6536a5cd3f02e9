/**
 * The same spellings as the callback address of a create: what its text is enough to refuse is
 * answered 400, what is good gets past it, and nothing is answered 5xx.
 */
import { textToVideo } from '../../kit/journey.ts';
import { startService } from '../../kit/service.ts';
import { spellings } from './spellings.ts';

export type TextOutcome = {
  readonly creates: number;
  /** Answered 400; and 402, since nobody pays for them. */
  readonly refused: number;
  readonly passed: number;
  readonly violations: readonly string[];
};

const path = '/v1/videos/generations';
const violationsMax = 50;

export async function createWithSpellings(order: {
  readonly seed: number;
  readonly runs: number;
  readonly signal?: AbortSignal;
}): Promise<TextOutcome> {
  const service = await startService({
    engine: 'embedded',
    environment: { VIDGEN_ALLOWED_NETWORKS: '', VIDGEN_RATE_CREATE: '0' },
  });
  const violations: string[] = [];
  let creates = 0;
  let refused = 0;
  let passed = 0;
  try {
    // Without credits: what gets past the address is answered 402, and nothing is ever started.
    const { key } = await service.account();
    const headers = { authorization: `Bearer ${key}` };
    for (const { url, way, isTextEnough, mustArrive } of spellings(order.seed)) {
      if (creates >= order.runs || order.signal?.aborted) break;
      const payload = { ...textToVideo, callback_url: url };
      const answer = await service.parts.api!.server.inject({
        method: 'POST',
        url: path,
        headers,
        payload,
      });
      creates += 1;
      if (answer.statusCode === 400) refused += 1;
      if (answer.statusCode === 402) passed += 1;
      const wanted = isTextEnough ? [400] : mustArrive.includes('callback') ? [402] : [400, 402];
      if (!wanted.includes(answer.statusCode) && violations.length < violationsMax) {
        violations.push(
          `a create was answered ${answer.statusCode}: ${JSON.stringify(url)} (${way})`,
        );
      }
    }
  } finally {
    await service.close();
  }
  return { creates, refused, passed, violations };
}
