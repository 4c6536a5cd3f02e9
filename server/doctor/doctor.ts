/**
 * Examines an installation. `npm run doctor` does so from outside, also when the service cannot
 * start, and `GET /admin/doctor` from inside. Read-only, except for one file that is deleted again.
 */
import type { Finding } from '@vidgen/contract/admin-system.ts';
import type { Config } from '../config/config.ts';
import type { ConfigFile } from '../config/config-file.ts';
import type { Database } from '../database/database.ts';
import { isTunnelUrl } from '../providers/fleet/tunnel-provider.ts';
import { upstreamUrl } from '../providers/kinds.ts';
import { type Previews, selfTestMessage } from '../providers/preview/preview.ts';
import type { Storage } from '../storage/storage.ts';
import { checkDatabase } from './check-database.ts';
import { checkDisk, checkLimits, checkModes, checkSandbox } from './check-machine.ts';
import { checkStorage } from './check-storage.ts';
import { type Area, failure, type GuardOptions, guard, ok, warning } from './finding.ts';
import { checkPort, checkProviders, checkPublicUrl, checkServers, type Target } from './reach.ts';

export type Installation = {
  readonly config: Config;
  readonly file: ConfigFile;
  /** Or why there is none. */
  readonly database: Database | Finding;
  /** Null if it could not be opened; that is among the other findings. */
  readonly storage: Storage | null;
  readonly runSelfTest: Previews['runSelfTest'];
  readonly isServing: boolean;
  /** Providers connected in the dashboard, which only a process that serves has loaded. */
  readonly connected?: readonly Target[];
};

export async function examine(installation: Installation): Promise<Finding[]> {
  const { config, file, database, storage, isServing } = installation;
  const { home, configFile, publicUrl } = config;
  const { connected = [] } = installation;
  const configured = file.providers ?? {};
  // What the configuration file has wins.
  const targets = [
    ...Object.entries(configured).map(([name, settings]) => ({ name, url: upstreamUrl(settings) })),
    ...connected.filter(({ name }) => !Object.hasOwn(configured, name)),
    // GPU boxes connect to us.
  ].filter(({ url }) => !isTunnelUrl(url));
  const findings = await Promise.all([
    'query' in database ? checkDatabase(database, config) : [database],
    storage ? checkStorage(storage) : [],
    guard('disk', 'Set VIDGEN_HOME to a folder of this machine.', () => checkDisk(home)),
    checkProviders(targets, { isServing }),
    checkServers(config),
    isServing ? [] : checkPort(config),
    checkPublicUrl(publicUrl, { isServing }),
    checkLimits(),
    checkSandbox(),
    checkModes({ home, configFile }),
  ]);
  // Last: it keeps a core busy, which would show in the latencies above.
  return [...findings.flat(), ...(await checkPreview(installation))];
}

const previewRemedy =
  'Install again with `npm start`; if it stays, route every model to a provider.';

/** Only slowness, as on a busy machine, is no error. */
export async function checkPreview(
  { runSelfTest }: Pick<Installation, 'runSelfTest'>,
  options: Pick<GuardOptions, 'msMax'> = {},
): Promise<readonly Finding[]> {
  const check = async () => {
    const report = await runSelfTest();
    const message = selfTestMessage(report).replace(/^Preview: |\.$/g, '');
    if (!report.ready) return [failure('preview', message, previewRemedy)];
    if (report.encoder === 'native') return [ok('preview', message)];
    return [warning('preview', message, 'Use a platform with a native encoder for previews.')];
  };
  return await guard('preview', previewRemedy, check, { late: busy, ...options });
}

const busy = (area: Area, message: string): Finding =>
  warning(area, message, 'The machine is busy: run the doctor again when it is not.');
