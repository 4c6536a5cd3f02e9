/**
 * What every journey starts from: the service, a receiver, and a provider that follows a script.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { modelNames } from '@vidgen/contract/models.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import {
  createScriptedProvider,
  type ScriptedOptions,
  type ScriptedProvider,
} from './scripted-provider.ts';
import { startService, type TestService, type TestServiceOptions } from './service.ts';

export type Journey = {
  readonly service: Awaited<ReturnType<typeof startService>>;
  readonly receiver: Receiver;
  readonly provider: ScriptedProvider;
  close(): Promise<void>;
};

export const textToVideo = {
  model: 'vidgen-2-0-mini',
  input: { prompt: 'A paper boat drifts on a quiet lake', resolution: '480p', duration: 5 },
} as const;

/** Live tasks of every model go to the scripted provider. */
export async function startJourney({
  script,
  protection,
  ...options
}: TestServiceOptions & Pick<ScriptedOptions, 'script' | 'protection'> = {}): Promise<Journey> {
  const folder = await mkdtemp(join(tmpdir(), 'vidgen-journey-'));
  const provider = createScriptedProvider({
    results: { folder },
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
  return {
    service,
    receiver,
    provider,
    async close() {
      await service.close();
      await receiver.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export async function balanceOf(service: TestService, accountId: string) {
  const { body } = await service.admin.get(`/admin/accounts/${accountId}`);
  type Part = { available: number; reserved: number; suspended: number };
  return body.balance as { live: Part; test: Part };
}
