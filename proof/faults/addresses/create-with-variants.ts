/**
 * Sends URL variants as the callback URL of a create: 400 for those that are bad by their text,
 * past the check for good ones, and never a 5xx.
 */
import { textToVideo } from '../../kit/journey.ts';
import { startService } from '../../kit/service.ts';
import {
  type FaultTestOptions,
  type FaultTestResult,
  noFindings,
  resultOf,
} from '../fault-test.ts';
import { urlVariants } from './url-variants.ts';

const violationsMax = 50;

export async function createWithVariants(options: FaultTestOptions): Promise<FaultTestResult> {
  const service = await startService({
    environment: { VIDGEN_ALLOWED_NETWORKS: '', VIDGEN_RATE_CREATE: '0' },
  });
  const broken: string[] = [];
  let [creates, rejected, passed] = [0, 0, 0];
  try {
    // Without credits: a URL that passes is answered with 402, and no task starts.
    const { key } = await service.account();
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    for (const { url, technique, isTextEnough, mustArrive } of urlVariants(options.seed)) {
      if (creates >= options.runs || options.signal.aborted) break;
      const body = JSON.stringify({ ...textToVideo, callback_url: url });
      const request = { method: 'POST', headers, body };
      const { status } = await fetch(`${service.url}/v1/videos/generations`, request);
      creates += 1;
      if (status === 400) rejected += 1;
      if (status === 402) passed += 1;
      const expected = isTextEnough ? [400] : mustArrive.includes('callback') ? [402] : [400, 402];
      if (!expected.includes(status) && broken.length < violationsMax) {
        broken.push(`a create returned ${status}: ${JSON.stringify(url)} (${technique})`);
      }
    }
  } finally {
    await service.close();
  }
  const note =
    `${creates} of the variants as the callback_url of a create: ${rejected} were answered with ` +
    `400, ${passed} with 402, ${creates - rejected - passed} otherwise`;
  return resultOf([{ ...noFindings, broken }], { runs: creates, notes: [note] });
}
