/**
 * What the fixtures of all adapters share: the conformance faults as faults of a fake, timeouts,
 * and the provider under test. A vendor's fixture adds only its own error responses and states.
 */
import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import type { Provider } from '../../server/providers/provider.ts';
import type { FetchMaterial } from '../../server/providers/toolkit/materials.ts';
import {
  type AdapterFixture,
  type StartFault,
  type StatusFault,
  sampleStart,
} from './conformance-fixture.ts';
import { declined, type FakeResponse, type Fault, htmlPage } from './fake-upstream.ts';

export type FaultResponses = {
  readonly serverError: FakeResponse;
  /** `serverError` by default. */
  readonly errorAfterCreating?: FakeResponse;
  readonly throttled: FakeResponse;
  /** Where a throttled start is reported differently from a throttled poll. */
  readonly startThrottled?: FakeResponse;
  readonly contentRejected: FakeResponse;
  readonly inputRejected: FakeResponse;
  readonly accountRejected: FakeResponse;
  /** Cut off in the middle. */
  readonly garbage: FakeResponse;
  readonly wrongTypes: FakeResponse;
};

const startFaults = (responses: FaultResponses): Record<StartFault, Fault | null> => ({
  'response-lost': { work: 'done', response: 'lose' },
  'error-after-creating': {
    work: 'done',
    response: responses.errorAfterCreating ?? responses.serverError,
  },
  'error-without-creating': declined(responses.serverError),
  'no-response': { work: 'done', response: 'hang' },
  garbage: { work: 'done', response: responses.garbage },
  html: declined(htmlPage),
  'content-rejected': declined(responses.contentRejected),
  'input-refused': declined(responses.inputRejected),
  'account-refused': declined(responses.accountRejected),
  throttled: declined(responses.startThrottled ?? responses.throttled),
  unreachable: null,
});

const statusFaults = (responses: FaultResponses): Record<StatusFault, Fault> => ({
  error: declined(responses.serverError),
  throttled: declined(responses.throttled),
  'no-response': { work: 'not-done', response: 'hang' },
  garbage: declined(responses.garbage),
  html: declined(htmlPage),
  types: declined(responses.wrongTypes),
});

type FixtureParts<Operation extends string> = Omit<
  AdapterFixture,
  'failStart' | 'failStatus' | 'close'
> & {
  readonly fake: { next(operation: Operation, fault: Fault): void; close(): Promise<void> };
  readonly responses: FaultResponses;
  /** The fake's names of the two operations that faults are planned for. */
  readonly operations: { readonly start: Operation; readonly status: Operation };
  /** Runs after the provider and the fake are closed. */
  readonly onClose?: () => Promise<unknown>;
};

export function createFixture<Operation extends string>({
  fake,
  responses,
  operations,
  onClose,
  ...fixture
}: FixtureParts<Operation>): AdapterFixture {
  return {
    ...fixture,
    failStart: async (startFault) => {
      const fault = startFaults(responses)[startFault];
      if (fault) fake.next(operations.start, fault);
      else await fake.close();
    },
    failStatus: (statusFault) => fake.next(operations.status, statusFaults(responses)[statusFault]),
    close: async () => {
      await fixture.provider.close?.();
      await fake.close();
      await onClose?.();
    },
  };
}

const longTimeouts = { createTimeoutMs: 30_000, readTimeoutMs: 30_000 };
/** For requests that never get a response; long enough for a busy machine to serve the others. */
export const shortTimeouts = { createTimeoutMs: 1_000, readTimeoutMs: 1_000 };

/** Timeouts of an adapter under test, and polls without waiting. */
export const timing = (
  options: { readonly shortTimeouts: boolean } = { shortTimeouts: false },
) => ({
  ...(options.shortTimeouts ? shortTimeouts : longTimeouts),
  getPerSecond: 1_000,
});

/** How a test changes the options of an adapter and of its fake. */
export type FixtureChange<Adapter, Fake> = {
  readonly adapter?: Partial<Adapter>;
  readonly fake?: Partial<Fake>;
};

/** Runs one test with a fake and its adapter; closes both, and deletes the adapter's folder. */
export async function runWith<Fake extends AsyncDisposable>(
  run: (fake: Fake, provider: Provider) => Promise<void>,
  opened: { readonly fake: Fake; readonly provider: Provider; readonly folder?: string },
): Promise<void> {
  await using fake = opened.fake;
  try {
    await run(fake, opened.provider);
  } finally {
    await opened.provider.close?.();
    if (opened.folder) await rm(opened.folder, { recursive: true });
  }
}

/** The URL that the service passes to a start at this provider. */
export const callbackUrlAt =
  (provider: string) =>
  (reference: string): string =>
    `https://svc.example.test/callbacks/${provider}/${reference}`;

/** Passes a callback URL to every start, as the service does. */
export const withCallbacks = (adapter: Provider): Provider => ({
  ...adapter,
  start: (request) => {
    const providerCallbackUrl = callbackUrlAt(adapter.name)(request.reference);
    return adapter.start({ ...request, providerCallbackUrl });
  },
});

/** Starts a generation that must be accepted, and returns its operation. */
export async function startAccepted(provider: Provider, start = sampleStart()): Promise<string> {
  const result = await provider.start(start);
  assert.ok(result.outcome === 'accepted', JSON.stringify(result));
  return result.operation;
}

/** An image of one pixel. */
const pixel = Buffer.from(
  [
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYPj/',
    'HwADAgH/5ncoPAAAAABJRU5ErkJggg==',
  ].join(''),
  'base64',
);
const heads = {
  video: Buffer.from('00000018667479706d703432', 'hex'),
  audio: Buffer.from('ID3\u0004'),
};
const origin = ' came from ';

/** Fetches tiny files: the first bytes of their kind, followed by the URL they came from. */
export const fetchSamples =
  ({ image = pixel } = {}): FetchMaterial =>
  async ({ url, kind, into }) => {
    const head = kind === 'image' ? image : heads[kind];
    await writeFile(into, Buffer.concat([head, Buffer.from(origin + url)]));
    return { saved: true };
  };

/** The URL of a file that was fetched. */
export const urlInSample = (bytes: Buffer): string => bytes.toString('latin1').split(origin)[1]!;
