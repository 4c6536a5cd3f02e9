/** What this process was started with, as far as an operator may be shown it: never a secret. */
import type { SystemAnswer } from '@vidgen/contract/admin-system.ts';
import type { Config } from '../config.ts';

export type Installation = {
  readonly role: Config['role'];
  /** Unix seconds. */
  readonly startedAt: number;
  /** Where results are kept. */
  readonly resultsFolder: string;
  readonly settings: SystemAnswer['settings'];
};

/** By the names that the operator knows. Secrets are only said to be there. */
export function shownSettings(config: Config): SystemAnswer['settings'] {
  const shown: Record<string, string | number | null> = {
    HOST: config.host,
    PORT: config.port,
    VIDGEN_ROLE: config.role,
    VIDGEN_HOME: config.home,
    VIDGEN_PUBLIC_URL: config.publicUrl,
    VIDGEN_SECRET: config.secret && 'set',
    VIDGEN_ADMIN_TOKEN: config.adminToken && 'set',
    VIDGEN_DATABASE_URL: config.databaseUrl && withoutSecrets(config.databaseUrl),
    VIDGEN_DATABASE_LISTEN_URL:
      config.databaseListenUrl && withoutSecrets(config.databaseListenUrl),
    VIDGEN_ALLOWED_NETWORKS: config.allowedNetworks,
    VIDGEN_TRUSTED_PROXIES: config.trustedProxies,
    VIDGEN_MATERIALS: config.materials,
    VIDGEN_RESULT_TTL: `${config.resultLifeSeconds} s`,
    VIDGEN_TASK_TIMEOUT: `${config.taskTimeoutSeconds} s`,
    VIDGEN_WEBHOOK_RETRIES: config.webhookGapsSeconds.map((gap) => `${gap} s`).join(', '),
    VIDGEN_RATE_CREATE: config.createsPerMinuteMax,
    VIDGEN_RATE_STATUS: config.statusQueriesPerMinuteMax,
    VIDGEN_PREVIEW_SLOTS: config.previewSlots,
    VIDGEN_LOG_LEVEL: config.logLevel,
    VIDGEN_CONFIG: config.configFile,
  };
  return Object.entries(shown).map(([name, value]) => ({ name, value: String(value ?? '') }));
}

/** Of an address only where it leads: a password may stand before the host or in the query. */
function withoutSecrets(address: string): string {
  const { protocol, host, pathname } = new URL(address);
  return `${protocol}//${host}${pathname}`;
}
