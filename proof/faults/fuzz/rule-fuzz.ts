/**
 * Sends creates and estimates whose result `reference-rules.ts` predicts: accepted for a number of
 * credits, or rejected for certain fields. The service must agree exactly.
 */
import fc from 'fast-check';
import type { ApiDocument } from './document.ts';
import { anyGeneration, type Endpoint, type GenerationRequest } from './generation-requests.ts';
import type { Media } from './media.ts';
import { type ExpectedVerdict, expectedVerdict } from './reference-rules.ts';
import { responseFault } from './response-fault.ts';
import { countResponse, type FuzzOptions, inBatches } from './schema-fuzz.ts';
import { curlOf, type WireRequest, type WireResponse } from './send.ts';

export type RuleFuzzOptions = FuzzOptions & {
  readonly media: Media;
  /** An account without credits. */
  readonly poor: { readonly accountId: string; readonly key: string };
};

/** A probe that timed out is inconclusive, so the request is repeated. */
const probesMax = 4;

export async function fuzzByRules(options: RuleFuzzOptions): Promise<void> {
  const property = fc.asyncProperty(anyGeneration, async (request) => {
    const { wireRequest, fault } = await compareWithRules(request, options);
    if (fault === null) return;
    throw new Error(`${fault}\n  ${curlOf(options.sender.url, wireRequest)}`);
  });
  await inBatches(options, property);
}

let keys = 0;

async function compareWithRules(request: GenerationRequest, options: RuleFuzzOptions) {
  const { sender, media, env, tally, document } = options;
  const text = JSON.stringify(request.body).replace(
    /@@(\w+)/g,
    (_, name: string) => media.names.get(name)!,
  );
  const isEstimate = request.endpoint.endsWith('estimate');
  const probes = !isEstimate;
  const verdict = expectedVerdict(JSON.parse(text), { facts: media.facts, probes });
  const key = request.isRepeated && probes ? `rules ${process.pid} ${++keys}` : null;
  const wireRequest = wireRequestFor(request, { text, key, options });
  const check = (response: WireResponse): string | null =>
    describedFault(response, { wireRequest, document }) ??
    faultIn(response, { verdict, isEstimate, isPoor: request.caller === 'poor key' });
  let response = await sender.send(wireRequest);
  let fault = check(response);
  const isUnproven = !verdict.accepted && verdict.by === 'materials';
  for (let attempt = 1; fault !== null && isUnproven && attempt < probesMax; attempt++) {
    response = await sender.send(wireRequest);
    fault = check(response);
  }
  countResponse(tally, request.endpoint, response.status);
  env.learn(idOf[request.endpoint], 'API key', response);
  if (fault !== null || key === null || response.status !== 200) return { wireRequest, fault };
  return { wireRequest, fault: await repeatFault(response, { wireRequest, text, options }) };
}

const idOf: Readonly<Record<Endpoint, string>> = {
  create: 'createGeneration',
  estimate: 'estimateGeneration',
  playground: 'createInPlayground',
  'playground estimate': 'estimateInPlayground',
};

function wireRequestFor(
  { endpoint, caller }: GenerationRequest,
  { text, key, options }: { text: string; key: string | null; options: RuleFuzzOptions },
): WireRequest {
  const { env, poor } = options;
  const isPoor = caller === 'poor key';
  const mode = caller === 'test key' ? 'test' : 'live';
  const accountId = isPoor ? poor.accountId : env.pick('account', 0);
  const token = isPoor ? poor.key : env.tokens[caller];
  const inPlayground = endpoint.startsWith('playground');
  const tail = endpoint.endsWith('estimate') ? '/estimate' : '';
  return {
    method: 'POST',
    path: inPlayground
      ? `/admin/accounts/${accountId}/generations${tail}?mode=${mode}`
      : `/v1/videos/generations${tail}`,
    headers: [
      ['authorization', `Bearer ${inPlayground ? env.tokens['admin token'] : token}`],
      ['content-type', 'application/json'],
      ...(key === null ? [] : [['idempotency-key', key] as const]),
    ],
    body: Buffer.from(text),
  };
}

function describedFault(
  response: WireResponse,
  { wireRequest, document }: { wireRequest: WireRequest; document: ApiDocument },
): string | null {
  const path = wireRequest.path.split('?')[0]!.replace(/accounts\/[^/]+/, 'accounts/{id}');
  const operation = document.operations.find(
    (one) => one.path === path && one.method === wireRequest.method,
  )!;
  const expectation = { status: null, field: null, what: '' };
  return responseFault(response, { operation, wireRequest, expectation, document });
}

function faultIn(
  { status, headers, body }: WireResponse,
  {
    verdict,
    isEstimate,
    isPoor,
  }: { verdict: ExpectedVerdict; isEstimate: boolean; isPoor: boolean },
): string | null {
  const text = body.toString();
  const parsed = JSON.parse(text) as CreateResponseBody;
  // A busy machine could not measure the materials.
  if (status === 429 && text.includes('being checked at the moment')) return null;
  const isBroke = isPoor && !isEstimate && verdict.least !== null;
  if (isBroke) {
    const { required, available } = parsed.error ?? {};
    if (status === 402 && required === verdict.least && available === 0) return null;
    return `not 402 for ${verdict.least} credits: ${status} ${text}`;
  }
  if (!verdict.accepted) {
    const missing = verdict.fields.filter((field) => !parsed.error?.message.includes(field));
    if (status === 400 && missing.length === 0) return null;
    return `not 400 by ${verdict.by} for ${verdict.fields}: ${status} ${text.slice(0, 400)}`;
  }
  const ignored = verdict.ignored.join(', ');
  if (status !== 200) return `not accepted: ${status} ${text.slice(0, 400)}`;
  if (parsed.credits !== verdict.credits)
    return `${parsed.credits} credits, not ${verdict.credits}`;
  if ((headers['vidgen-ignored'] ?? '') !== ignored) return `not listed as ignored: ${ignored}`;
  if (isEstimate || /^task_[0-9a-hjkmnp-tv-z]{26}$/.test(parsed.taskId ?? '')) return null;
  return `no task id: ${text}`;
}

type CreateResponseBody = {
  readonly taskId?: string;
  readonly credits?: number;
  readonly error?: {
    readonly message: string;
    readonly required?: number;
    readonly available?: number;
  };
};

/** The same key and request return the same response; with another request they return 400. */
async function repeatFault(
  first: WireResponse,
  {
    wireRequest,
    text,
    options,
  }: { wireRequest: WireRequest; text: string; options: RuleFuzzOptions },
): Promise<string | null> {
  const again = await options.sender.send(wireRequest);
  if (again.status !== 200 || again.body.toString() !== first.body.toString()) {
    return `another response to the same request: ${again.status} ${again.body}`;
  }
  const body = JSON.parse(text) as { input: object };
  const other = { ...body, input: { ...body.input, prompt: 'Another request' } };
  const response = await options.sender.send({
    ...wireRequest,
    body: Buffer.from(JSON.stringify(other)),
  });
  if (response.status === 400 && /Idempotency-Key/.test(response.body.toString())) return null;
  return `a key accepted for another request: ${response.status} ${response.body}`;
}
