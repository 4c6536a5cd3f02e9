/** The start of every journey: the service, a receiver, and a provider that follows a script. */
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { modelNames } from '@vidgen/contract/models.ts';
import type { TaskStatusResponse } from '@vidgen/contract/task-status.ts';
import { startReceiver } from './receiver.ts';
import { createScriptedProvider, type ScriptedOptions } from './scripted-provider.ts';
import { startService, type TestService, type TestServiceOptions } from './service.ts';

export type Journey = Awaited<ReturnType<typeof startJourney>>;

export const textToVideo = {
  model: 'vidgen-2-0-mini',
  input: { prompt: 'A paper boat drifts on a quiet lake', resolution: '480p', duration: 5 },
} as const;

export const imageToVideo = (...urls: readonly string[]) => ({
  model: 'vidgen-2-0-mini',
  input: {
    prompt: 'The boat drifts',
    generation_type: 'image-to-video',
    resolution: '480p',
    image_urls: urls,
  },
});

type JourneyOptions = TestServiceOptions & Pick<ScriptedOptions, 'script' | 'protection'>;

/** Live tasks of every model go to the scripted provider. */
export async function startJourney({ script, protection, ...options }: JourneyOptions = {}) {
  const provider = createScriptedProvider({
    ...(script ? { script } : {}),
    ...(protection ? { protection } : {}),
  });
  const routes = Object.fromEntries(modelNames.map((model) => [model, [provider.name]]));
  const receiver = await startReceiver();
  const service = await startService({
    ...options,
    providers: { [provider.name]: provider, ...options.providers },
    file: { routes, ...options.file },
  });
  const close = async () => {
    await service.close();
    await receiver.close();
  };
  return { service, receiver, provider, close, [Symbol.asyncDispose]: close };
}

/** A journey for all tests of a file, after which the invariants hold. */
export async function useJourney(options?: JourneyOptions): Promise<Journey> {
  const journey = await startJourney(options);
  after(async () => {
    try {
      await journey.service.assertInvariants();
    } finally {
      await journey.close();
    }
  });
  return journey;
}

/**
 * Creates a task of a new account with 100 live credits. The request is `textToVideo` with the
 * given changes.
 */
export async function createTask(
  service: TestService,
  { input = {}, ...change }: { model?: string; callback_url?: string; input?: object } = {},
) {
  const account = await service.account({ live: 100 });
  const { client } = account;
  const request = { ...textToVideo, ...change, input: { ...textToVideo.input, ...input } };
  const { status, body } = await client.create(request);
  assert.equal(status, 200, JSON.stringify(body));
  const taskId = body.taskId as string;
  return {
    account,
    client,
    taskId,
    credits: body.credits as number,
    final: () => client.final(taskId),
    async reach(status: TaskStatusResponse['status']) {
      while ((await client.task(taskId)).status !== status) {
        await client.get(`/v1/tasks/${taskId}?wait=5`);
      }
    },
    available: async () => (await balanceOf(service, account.id)).live.available,
  };
}

type AttemptSummary = readonly [provider: string, outcome: string];

export async function attemptsOf(service: TestService, taskId: string): Promise<AttemptSummary[]> {
  const { body } = await service.admin.get(`/admin/tasks/${taskId}`);
  const attempts = body.attempts as { provider: string; outcome: string }[];
  return attempts.map(({ provider, outcome }) => [provider, outcome] as const);
}

/** A ledger as it is listed once the tasks are deleted. */
export const withoutPrompts = ({ items, ...page }: Record<string, unknown>) => ({
  ...page,
  items: (items as object[]).map((item) => ({ ...item, prompt: null })),
});

export async function balanceOf(service: TestService, accountId: string) {
  const { body } = await service.admin.get(`/admin/accounts/${accountId}`);
  type Part = { available: number; reserved: number; suspended: number };
  return body.balance as { live: Part; test: Part };
}
