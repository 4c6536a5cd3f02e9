/** Maps ComfyUI's errors to start results and failures. */
import type { ProviderFailure } from '../provider.ts';
import { createErrors } from '../toolkit/async-adapter.ts';
import { failureOf, isRejection, rejectedPartIn } from '../toolkit/rejected-part.ts';
import { asRecord, asText, toSingleLine } from '../toolkit/response-values.ts';
import type { UpstreamResponse } from '../toolkit/upstream.ts';
import type { ExecutionError, FinishedPrompt } from './wire.ts';

/** Reads an error response to a prompt or an upload. ComfyUI validates before it queues. */
export const errors = createErrors<string>({
  read: readError,
  parts: (message) => [message],
  // A 404 is a wrong base URL: ComfyUI responds 200 for an unknown prompt.
  isAboutOperation: () => false,
  throttledSeconds: () => 10,
  rejection: () => ({ reason: 'failed' }),
});

/** The general error, then the errors of each node. */
function readError({ json }: UpstreamResponse): string | undefined {
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
  return [first ?? '', ...nodes].filter(Boolean).join('; ') || undefined;
}

const messageOf = (error: Record<string, unknown> | undefined): string =>
  ['type', 'message', 'details'].flatMap((name) => asText(error?.[name]) ?? []).join(': ');

/** Nodes that moderate content, or call an API that does, raise their own exceptions. */
const rejectionVerb = /\b(block|reject|refus|flag|violat|unsafe|detect)/i;

/** A node that loads a customer's file and fails means that the file is unusable. */
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
  if (isRejection(message, rejectionVerb)) {
    const part = rejectedPartIn(message, { materials: loaders.size > 0 });
    return failureOf('rejected', detail, part);
  }
  return { reason: blamesFile(error, loaders) ? 'material' : 'failed', detail };
}

/** Only nodes that just load a file: one that also computes may run out of memory. */
function blamesFile({ nodeId, nodeType }: ExecutionError, loaders: ReadonlySet<string>): boolean {
  // The ids of nodes inside a group node follow the id of the group.
  return loaders.has(nodeId.split('.')[0]!) && /load/i.test(nodeType);
}
