/**
 * Traces by OpenTelemetry, sent as OTLP over HTTP with JSON. Loaded only with an endpoint.
 *
 * The life of a task is one trace over all processes: its ID and that of its first span follow from
 * the ID of the task, so nothing is passed on. A span is added when its work has ended, and never
 * delays it: the buffer is bounded, and what the collector does not take is dropped and counted.
 */

import { createHash, randomBytes } from 'node:crypto';
import type { TraceSettings } from '../config/env-reader.ts';
import { lookupOperatorHost, requireOperatorHost } from '../config/operator-host.ts';
import { version } from '../config/version.ts';
import { startDeadline, startInterval } from '../process/clock.ts';
import type { Log } from './log.ts';

const spansMax = 2048;
const batchSpans = 512;
const exportEveryMs = 1_000;
const exportMsMax = 5_000;
const flushMsMax = 2_000;
const notedRequestsMax = 10_000;
const kinds = { internal: 1, server: 2, client: 3 } as const;

type Attributes = Readonly<Record<string, string | number | null | undefined>>;

type TaskSpan = {
  readonly taskId: string;
  readonly name: string;
  readonly kind?: keyof typeof kinds;
  /** Unix time in milliseconds. */
  readonly startMs: number;
  readonly endMs: number;
  /** Never prompts, URLs or messages of others. */
  readonly attributes?: Attributes;
  readonly isError?: boolean;
  /** The first span of the trace, the parent of all others. */
  readonly isRoot?: boolean;
  /** The `traceparent` header of the client: its own trace is linked. */
  readonly traceparent?: string | undefined;
};

export type Traces = {
  add(span: TaskSpan): void;
  /** Remembers which task a request has created, until `endRequest`. */
  noteTask(requestId: string, taskId: string): void;
  endRequest(requestId: string, request: Omit<TaskSpan, 'taskId'>): void;
  /** Spans that were not sent, since the start. */
  dropped(): number;
  /** Sends what is left, for at most two seconds. */
  close(): Promise<void>;
};

export function createTraces(options: TraceSettings & { readonly log: Log }): Traces {
  const { ratio, log } = options;
  const noted = new Map<string, string>();
  const waiting: object[] = [];
  let exporting: Promise<void> | undefined;
  let isFailing = false;
  let dropped = 0;

  const exportAll = async () => {
    while (waiting.length > 0) {
      const spans = waiting.splice(0, batchSpans);
      try {
        await post(options, spans);
        isFailing = false;
      } catch (error) {
        dropped += spans.length;
        // Once per outage; the number is a metric.
        if (!isFailing) log.warn({ error }, 'spans dropped: collector did not take them');
        isFailing = true;
      }
    }
  };
  /** One export at a time: a slow collector gets no second connection. */
  const exportWaiting = () => {
    exporting ??= exportAll().finally(() => {
      exporting = undefined;
    });
    return exporting;
  };
  const timer = startInterval(exportEveryMs, exportWaiting);

  const add = (span: TaskSpan) => {
    const ids = traceIds(span.taskId);
    if (Number.parseInt(ids.trace.slice(0, 8), 16) >= ratio * 2 ** 32) return;
    if (waiting.length >= spansMax) dropped += 1;
    else if (waiting.push(toOtlp(span, ids)) === batchSpans) void exportWaiting();
  };
  return {
    add,
    noteTask(requestId, taskId) {
      if (noted.size < notedRequestsMax) noted.set(requestId, taskId);
    },
    endRequest(requestId, request) {
      const taskId = noted.get(requestId);
      if (taskId === undefined) return;
      noted.delete(requestId);
      add({ ...request, taskId });
    },
    dropped: () => dropped,
    async close() {
      timer.stop();
      using deadline = startDeadline(flushMsMax);
      const isLate = new Promise<void>((resolve) =>
        deadline.signal.addEventListener('abort', () => resolve(), { once: true }),
      );
      await Promise.race([exporting?.then(exportWaiting) ?? exportWaiting(), isLate]);
    },
  };
}

type TraceIds = { readonly trace: string; readonly root: string };

export function traceIds(taskId: string): TraceIds {
  const digest = createHash('sha256').update(`vidgen trace ${taskId}`).digest('hex');
  return { trace: digest.slice(0, 32), root: digest.slice(32, 48) };
}

async function post(
  { url, headers, service }: TraceSettings & { readonly log: Log },
  spans: object[],
): Promise<void> {
  const resource = { 'service.name': service, 'service.version': version };
  const body = JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: toAttributes({ ...resource, 'process.pid': process.pid }) },
        scopeSpans: [{ scope: { name: 'vidgen', version }, spans }],
      },
    ],
  });
  // An import of `node:http` also loads undici, 11 MB.
  const { request } = process.getBuiltinModule(
    url.startsWith('https:') ? 'node:https' : 'node:http',
  );
  using deadline = startDeadline(exportMsMax);
  const sent = { ...headers, 'content-type': 'application/json' };
  const lookup = lookupOperatorHost;
  requireOperatorHost(new URL(url).hostname);
  await new Promise<void>((resolve, reject) => {
    const { signal } = deadline;
    const outgoing = request(url, { method: 'POST', headers: sent, signal, lookup }, (response) => {
      response.resume().on('error', reject);
      const { statusCode = 0 } = response;
      if (statusCode >= 200 && statusCode <= 299) response.on('end', resolve);
      else response.on('end', () => reject(new Error(`status ${statusCode}`)));
    });
    outgoing.on('error', reject).end(body);
  });
}

function toOtlp(span: TaskSpan, { trace, root }: TraceIds): object {
  const { name, kind = 'internal', startMs, endMs, isError, isRoot, traceparent } = span;
  const link = traceparent === undefined ? null : parseTraceparent(traceparent);
  return {
    traceId: trace,
    spanId: isRoot ? root : randomBytes(8).toString('hex'),
    ...(isRoot ? {} : { parentSpanId: root }),
    name,
    kind: kinds[kind],
    startTimeUnixNano: nanoseconds(startMs),
    endTimeUnixNano: nanoseconds(Math.max(startMs, endMs)),
    attributes: toAttributes({ 'vidgen.task_id': span.taskId, ...span.attributes }),
    ...(link ? { links: [link] } : {}),
    status: isError ? { code: 2 } : {},
  };
}

const nanoseconds = (ms: number): string => `${Math.round(ms * 1000)}000`;

const toAttributes = (attributes: Attributes): object[] =>
  Object.entries(attributes)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([key, value]) => ({
      key,
      value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
    }));

/** W3C Trace Context. Null for anything else that a client sends. */
function parseTraceparent(text: string): { traceId: string; spanId: string } | null {
  const [, traceId, spanId] = /^(?!ff)[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-/.exec(text) ?? [];
  if (!traceId || !spanId || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return { traceId, spanId };
}
