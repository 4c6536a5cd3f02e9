/**
 * Create requests and estimates whose fate the second opinion tells beforehand: accepted for so
 * many credits, or refused for these fields. The service must agree, to the credit and the field.
 */
import fc from 'fast-check';
import type { ApiDocument } from './document.ts';
import { anyGeneration, type Endpoint, type GenerationRequest } from './generation-requests.ts';
import { type Opinion, opinionOn } from './generation-rules.ts';
import { faultOf } from './judge.ts';
import type { Media } from './media.ts';
import { type FuzzOrder, inBatches } from './schema-fuzz.ts';
import { curlOf, type Wire, type WireAnswer } from './send.ts';

export type RuleOrder = FuzzOrder & {
  readonly media: Media;
  /** Of an account without a credit. */
  readonly poor: { readonly accountId: string; readonly key: string };
};

/** A look that took too long proves nothing (Decisions): it is taken again. */
const looksMax = 4;

export async function fuzzByRules(order: RuleOrder): Promise<void> {
  const ask = async (request: GenerationRequest): Promise<void> => {
    const { wire, fault } = await disagreement(request, order);
    if (fault === null) return;
    throw new Error(`${fault}\n  ${curlOf(order.sender.url, wire)}`);
  };
  await inBatches(order, async ({ runs, seed }) =>
    fc.check(fc.asyncProperty(anyGeneration, ask), { seed, numRuns: runs }),
  );
}

let keys = 0;

async function disagreement(request: GenerationRequest, order: RuleOrder) {
  const { sender, media, world, tally, document } = order;
  const text = JSON.stringify(request.body).replace(
    /@@(\w+)/g,
    (_, name: string) => media.names.get(name)!,
  );
  const isEstimate = request.endpoint.endsWith('estimate');
  const looks = !isEstimate;
  const opinion = opinionOn(JSON.parse(text), { facts: media.facts, looks });
  const key = request.isRepeated && looks ? `rules ${process.pid} ${++keys}` : null;
  const wire = wireOf(request, { text, key, order });
  const check = (answer: WireAnswer): string | null =>
    describedFault(answer, { wire, document }) ??
    faultIn(answer, { opinion, isEstimate, isPoor: request.asker === 'poor key' });
  let answer = await sender.send(wire);
  let fault = check(answer);
  const isUnproven = !opinion.accepted && opinion.by === 'materials';
  for (let look = 1; fault !== null && isUnproven && look < looksMax; look++) {
    answer = await sender.send(wire);
    fault = check(answer);
  }
  const statuses = tally.answers.get(request.endpoint) ?? new Map<number, number>();
  tally.answers.set(
    request.endpoint,
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1),
  );
  world.learn(idOf[request.endpoint], 'API key', answer);
  if (fault !== null || key === null || answer.status !== 200) return { wire, fault };
  return { wire, fault: await repeatFault(answer, { wire, text, order }) };
}

const idOf: Readonly<Record<Endpoint, string>> = {
  create: 'createGeneration',
  estimate: 'estimateGeneration',
  playground: 'createInPlayground',
  'playground estimate': 'estimateInPlayground',
};

function wireOf(
  { endpoint, asker }: GenerationRequest,
  { text, key, order }: { text: string; key: string | null; order: RuleOrder },
): Wire {
  const { world, poor } = order;
  const isPoor = asker === 'poor key';
  const mode = asker === 'test key' ? 'test' : 'live';
  const accountId = isPoor ? poor.accountId : world.pick('account', 0);
  const token = isPoor ? poor.key : world.tokens[asker];
  const inPlayground = endpoint.startsWith('playground');
  const tail = endpoint.endsWith('estimate') ? '/estimate' : '';
  return {
    method: 'POST',
    path: inPlayground
      ? `/admin/accounts/${accountId}/generations${tail}?mode=${mode}`
      : `/v1/videos/generations${tail}`,
    headers: [
      ['authorization', `Bearer ${inPlayground ? world.tokens['admin token'] : token}`],
      ['content-type', 'application/json'],
      ...(key === null ? [] : [['idempotency-key', key] as const]),
    ],
    body: Buffer.from(text),
  };
}

function describedFault(
  answer: WireAnswer,
  { wire, document }: { wire: Wire; document: ApiDocument },
): string | null {
  const path = wire.path.split('?')[0]!.replace(/accounts\/[^/]+/, 'accounts/{id}');
  const operation = document.operations.find(
    (one) => one.path === path && one.method === wire.method,
  )!;
  const expectation = { status: null, field: null, what: '' };
  return faultOf(answer, { operation, wire, expectation, document });
}

function faultIn(
  { status, headers, body }: WireAnswer,
  { opinion, isEstimate, isPoor }: { opinion: Opinion; isEstimate: boolean; isPoor: boolean },
): string | null {
  const text = body.toString();
  const told = JSON.parse(text) as Told;
  const isBroke = isPoor && !isEstimate && opinion.least !== null;
  if (isBroke) {
    const { required, available } = told.error ?? {};
    if (status === 402 && required === opinion.least && available === 0) return null;
    return `not 402 for ${opinion.least} credits: ${status} ${text}`;
  }
  if (!opinion.accepted) {
    const missing = opinion.fields.filter((field) => !told.error?.message.includes(field));
    if (status === 400 && missing.length === 0) return null;
    return `not 400 by ${opinion.by} for ${opinion.fields}: ${status} ${text.slice(0, 400)}`;
  }
  const ignored = opinion.ignored.join(', ');
  if (status !== 200) return `not accepted: ${status} ${text.slice(0, 400)}`;
  if (told.credits !== opinion.credits) return `${told.credits} credits, not ${opinion.credits}`;
  if ((headers['vidgen-ignored'] ?? '') !== ignored) return `not told as ignored: ${ignored}`;
  if (isEstimate || /^task_[0-9a-hjkmnp-tv-z]{26}$/.test(told.taskId ?? '')) return null;
  return `no task id: ${text}`;
}

type Told = {
  readonly taskId?: string;
  readonly credits?: number;
  readonly error?: {
    readonly message: string;
    readonly required?: number;
    readonly available?: number;
  };
};

/** The same key and request: the same answer. The same key and another request: 400. */
async function repeatFault(
  first: WireAnswer,
  { wire, text, order }: { wire: Wire; text: string; order: RuleOrder },
): Promise<string | null> {
  const again = await order.sender.send(wire);
  if (again.status !== 200 || again.body.toString() !== first.body.toString()) {
    return `another answer to the same request: ${again.status} ${again.body}`;
  }
  const body = JSON.parse(text) as { input: object };
  const other = { ...body, input: { ...body.input, prompt: 'Another request altogether' } };
  const answer = await order.sender.send({ ...wire, body: Buffer.from(JSON.stringify(other)) });
  if (answer.status === 400 && /Idempotency-Key/.test(answer.body.toString())) return null;
  return `a key taken for another request: ${answer.status} ${answer.body}`;
}
