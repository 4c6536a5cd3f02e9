/** A receiver of traces on 127.0.0.1 that records every span, as OTLP over HTTP with JSON. */
import { EventEmitter } from 'node:events';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { readBody, startLocalServer } from './local-server.ts';

export type CollectedSpan = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly object[];
  readonly links?: readonly object[];
  readonly status: { readonly code?: number };
};

type ExportRequest = {
  readonly resourceSpans: {
    readonly scopeSpans: { readonly spans: readonly CollectedSpan[] }[];
  }[];
};

type Respond = (response: ServerResponse) => void;

export async function startCollector() {
  const spans: CollectedSpan[] = [];
  const requests: { headers: IncomingHttpHeaders; text: string }[] = [];
  const events = new EventEmitter();
  let respond: Respond = (response) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  const { origin, close } = await startLocalServer(async (request, response) => {
    const text = (await readBody(request)).toString();
    requests.push({ headers: request.headers, text });
    const { resourceSpans } = JSON.parse(text) as ExportRequest;
    for (const { scopeSpans } of resourceSpans)
      for (const scope of scopeSpans) spans.push(...scope.spans);
    events.emit('request');
    respond(response);
  });
  return {
    origin,
    spans,
    requests,
    events,
    /** Handles the next exports; 200 by default. */
    respond: (next: Respond): void => {
      respond = next;
    },
    [Symbol.asyncDispose]: close,
  };
}
