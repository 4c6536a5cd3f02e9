/**
 * ComfyUI's errors in our words. A 4xx comes from the check before anything is queued; a 5xx or a
 * proxy that gave up proves nothing, and is looked up.
 */

import type { ProviderFailure, StartAnswer } from '../provider.ts';
import { asRecord, asText, onOneLine, toldWaitSeconds } from '../toolkit/answer-values.ts';
import { refusedField, refusedPartIn } from '../toolkit/refused-part.ts';
import type { UpstreamAnswer } from '../toolkit/upstream.ts';
import type { Ended, ExecutionError } from './wire.ts';

const throttledSeconds = 10;

/** A prompt, or a file before it, was answered with something else than 200. */
export function startAnswerFor(answer: UpstreamAnswer): StartAnswer {
  const { status } = answer;
  const detail = detailOf(answer);
  if (status < 300 || status >= 500 || [408, 409, 499].includes(status)) {
    return { outcome: 'unknown', detail };
  }
  if (status === 429) {
    const retryAfterSeconds = toldWaitSeconds(answer.headers) ?? throttledSeconds;
    return { outcome: 'throttled', retryAfterSeconds, detail };
  }
  // A workflow that does not validate here is between the operator and this server.
  return { outcome: 'refused', tryAnother: true, reason: 'failed', detail };
}

/** The general error, then what is wrong with each node. */
export function detailOf({ status, json }: UpstreamAnswer): string {
  const body = asRecord(json);
  const general = asRecord(body?.error);
  const nodes = Object.entries(asRecord(body?.node_errors) ?? {}).flatMap(([id, node]) => {
    const errors = asRecord(node)?.errors;
    const words = (Array.isArray(errors) ? errors : []).map((error) => wordsOf(asRecord(error)));
    return words.map((word) => `node ${id} ${asText(asRecord(node)?.class_type) ?? ''}: ${word}`);
  });
  const first = general ? wordsOf(general) : asText(body?.error);
  return onOneLine([first ?? '', ...nodes].filter(Boolean).join('; ')) || `HTTP ${status}`;
}

const wordsOf = (error: Record<string, unknown> | undefined): string =>
  ['type', 'message', 'details'].flatMap((name) => asText(error?.[name]) ?? []).join(': ');

/** Nodes that guard, and nodes that ask an API, refuse content by raising an error of their own. */
const judges = String.raw`\b(moderation|guardrails?|safety|content policy|nsfw)\b`;
const verdicts = String.raw`\b(block|reject|refus|flag|violat|unsafe|detect)\w*`;
const rejectedWords = new RegExp(`${judges}.*${verdicts}|${verdicts}.*${judges}`, 'is');

/** What ended with an error. A node that loads a customer's file and fails blames the file. */
export function failureFor(ended: Ended, loaders: ReadonlySet<string>): ProviderFailure {
  const { error, interrupted } = ended;
  if (!error) {
    const detail = interrupted ? 'interrupted at the upstream' : 'failed without an error';
    return { reason: 'failed', detail };
  }
  const { nodeId, nodeType, exception, message } = error;
  const detail = onOneLine(`node ${nodeId} ${nodeType}: ${exception}: ${message}`);
  if (rejectedWords.test(message)) {
    const part = refusedPartIn(message, { materials: loaders.size > 0 });
    return { reason: 'rejected', detail, ...refusedField(part) };
  }
  return { reason: blamesFile(error, loaders) ? 'material' : 'failed', detail };
}

/** Only a node that does nothing but load: one that also computes may fail for want of memory. */
function blamesFile({ nodeId, nodeType }: ExecutionError, loaders: ReadonlySet<string>): boolean {
  // A node that unfolds into others has their ids after its own.
  return loaders.has(nodeId.split('.')[0]!) && /load/i.test(nodeType);
}
