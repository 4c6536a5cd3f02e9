/**
 * What the fixtures of all adapters share: the conformance faults as faults of a fake, timeouts,
 * and the provider under test. A vendor's fixture adds only its own error responses and states.
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import type { Provider } from '../../server/providers/provider.ts';
import type { ClientOptions } from '../../server/providers/toolkit/client.ts';
import type { FetchMaterial } from '../../server/providers/toolkit/materials.ts';
import type { Harness } from './conformance.ts';
import {
  type ReceivedStart,
  type StartFault,
  type StatusFault,
  sampleStart,
  type UpstreamState,
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

type OpenAdapter<Fake> = {
  readonly fake: Fake;
  readonly provider: Provider;
};

/** Options of an adapter that reaches its upstream through something between. */
export type Reach = (baseUrl: string) => Promise<Pick<ClientOptions, 'baseUrl' | 'openSocket'>>;

/** How a test changes the options of an adapter and of its fake. */
export type FixtureChange<Adapter, Fake> = {
  readonly adapter?: Partial<Adapter>;
  readonly fake?: Partial<Fake>;
  readonly reach?: Reach | undefined;
};

type AdapterKit<Operation extends string, Fake, Adapter, FakeOptions> = Pick<
  Harness,
  'unsupported'
> & {
  readonly reach?: Reach | undefined;
  readonly open: (change: FixtureChange<Adapter, FakeOptions>) => Promise<OpenAdapter<Fake>>;
  readonly responses: FaultResponses;
  /** The fake's names of the two operations that faults are planned for. */
  readonly operations: { readonly start: Operation; readonly status: Operation };
  readonly setState: (fake: Fake, operation: string, state: UpstreamState) => void;
  readonly received: (fake: Fake) => ReceivedStart;
  readonly generations: (fake: Fake, reference: string) => number;
  readonly hasResult: (fake: Fake, operation: string) => boolean;
};

/** The conformance harness of an adapter, and how a test gets the adapter with a new fake. */
export function createKit<
  Operation extends string,
  Fake extends AsyncDisposable & { next(operation: Operation, fault: Fault): void },
  Adapter extends Partial<ReturnType<typeof timing>>,
  FakeOptions,
>(kit: AdapterKit<Operation, Fake, Adapter, FakeOptions>) {
  const { open, responses, operations } = kit;
  const close = async ({ fake, provider }: OpenAdapter<Fake>) => {
    await provider.close?.();
    await fake[Symbol.asyncDispose]();
  };
  const harness: Harness = {
    ...(kit.unsupported ? { unsupported: kit.unsupported } : {}),
    async open(options) {
      const { reach } = kit;
      const opened = await open({ adapter: timing(options) as Partial<Adapter>, reach });
      const { fake, provider } = opened;
      return {
        provider,
        failStart: async (startFault) => {
          const fault = startFaults(responses)[startFault];
          if (fault) fake.next(operations.start, fault);
          else await fake[Symbol.asyncDispose]();
        },
        failStatus: (fault) => fake.next(operations.status, statusFaults(responses)[fault]),
        setState: (operation, state) => kit.setState(fake, operation, state),
        received: () => kit.received(fake),
        generations: (reference) => kit.generations(fake, reference),
        hasResult: (operation) => kit.hasResult(fake, operation),
        close: () => close(opened),
      };
    },
  };
  const withFake = async (
    change: FixtureChange<Adapter, FakeOptions>,
    run: (fake: Fake, provider: Provider) => Promise<void>,
  ): Promise<void> => {
    const opened = await open(change);
    try {
      await run(opened.fake, opened.provider);
    } finally {
      await close(opened);
    }
  };
  return { harness, withFake };
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

/** The URL that the service passes to a start at this provider. */
export const callbackUrlAt =
  (provider: string) =>
  (reference: string): string =>
    `https://svc.example.test/callbacks/${provider}/${reference}`;

/** Passes a callback URL to every start without one, as the service does. */
export const withCallbacks = (adapter: Provider): Provider => ({
  ...adapter,
  start: (request) => {
    const providerCallbackUrl = callbackUrlAt(adapter.name)(request.reference);
    return adapter.start({ providerCallbackUrl, ...request });
  },
});

/** Starts a generation that must be accepted, and returns its operation. */
export async function startAccepted(provider: Provider, start = sampleStart()): Promise<string> {
  const result = await provider.start(start);
  assert.ok(result.outcome === 'accepted', JSON.stringify(result));
  return result.operation;
}

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

export const fetchBytes =
  (bytes: Uint8Array): FetchMaterial =>
  async ({ into }) => {
    await writeFile(into, bytes);
    return { saved: true };
  };

/** The URL of a file that was fetched. */
export const urlInSample = (bytes: Buffer): string => bytes.toString('latin1').split(origin)[1]!;
