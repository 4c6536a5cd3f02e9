/**
 * ComfyUI's errors in our words. A 4xx comes from the check before anything is queued; a 5xx or a
 * proxy that gave up proves nothing, and is looked up.
 */

import type { ProviderFailure, StartResult } from '../provider.ts';
import { rejectedPartField, rejectedPartIn } from '../toolkit/rejected-part.ts';
import { asRecord, asText, parseRetryAfter, toSingleLine } from '../toolkit/response-values.ts';
import type { UpstreamResponse } from '../toolkit/upstream.ts';
import type { ExecutionError, FinishedPrompt } from './wire.ts';

const throttledSeconds = 10;

/** A prompt, or a file before it, was answered with something else than 200. */
export function parseStartResult(response: UpstreamResponse): StartResult {
  const { status } = response;
  const detail = detailOf(response);
  if (status < 300 || status >= 500 || [408, 409, 499].includes(status)) {
    return { outcome: 'unknown', detail };
  }
  if (status === 429) {
    const retryAfterSeconds = parseRetryAfter(response.headers) ?? throttledSeconds;
    return { outcome: 'throttled', retryAfterSeconds, detail };
  }
  // A workflow that does not validate here is between the operator and this server.
  return { outcome: 'refused', canFailOver: true, reason: 'failed', detail };
}

/** The general error, then what is wrong with each node. */
export function detailOf({ status, json }: UpstreamResponse): string {
  const body = asRecord(json);
  const general = asRecord(body?.error);
  const nodes = Object.entries(asRecord(body?.node_errors) ?? {}).flatMap(([id, node]) => {
    const errors = asRecord(node)?.errors;
    const messages = (Array.isArray(errors) ? errors : []).map((error) =>
      messageOf(asRecord(error)),
    );
    return messages.map(
      (message) => `node ${id} ${asText(asRecord(node)?.class_type) ?? ''}: ${message}`,
    );
  });
  const first = general ? messageOf(general) : asText(body?.error);
  return toSingleLine([first ?? '', ...nodes].filter(Boolean).join('; ')) || `HTTP ${status}`;
}

const messageOf = (error: Record<string, unknown> | undefined): string =>
  ['type', 'message', 'details'].flatMap((name) => asText(error?.[name]) ?? []).join(': ');

/** Nodes that guard, and nodes that ask an API, refuse content by raising an error of their own. */
const moderationTerms = String.raw`\b(moderation|guardrails?|safety|content policy|nsfw)\b`;
const rejectionTerms = String.raw`\b(block|reject|refus|flag|violat|unsafe|detect)\w*`;
const rejectionMessage = new RegExp(
  `${moderationTerms}.*${rejectionTerms}|${rejectionTerms}.*${moderationTerms}`,
  'is',
);

/** What ended with an error. A node that loads a customer's file and fails blames the file. */
export function failureFor(
  finished: FinishedPrompt,
  loaders: ReadonlySet<string>,
): ProviderFailure {
  const { error, interrupted } = finished;
  if (!error) {
    const detail = interrupted ? 'interrupted at the upstream' : 'failed without an error';
    return { reason: 'failed', detail };
  }
  const { nodeId, nodeType, exception, message } = error;
  const detail = toSingleLine(`node ${nodeId} ${nodeType}: ${exception}: ${message}`);
  if (rejectionMessage.test(message)) {
    const part = rejectedPartIn(message, { materials: loaders.size > 0 });
    return { reason: 'rejected', detail, ...rejectedPartField(part) };
  }
  return { reason: blamesFile(error, loaders) ? 'material' : 'failed', detail };
}

/** Only a node that does nothing but load: one that also computes may fail for want of memory. */
function blamesFile({ nodeId, nodeType }: ExecutionError, loaders: ReadonlySet<string>): boolean {
  // A node that unfolds into others has their ids after its own.
  return loaders.has(nodeId.split('.')[0]!) && /load/i.test(nodeType);
}
