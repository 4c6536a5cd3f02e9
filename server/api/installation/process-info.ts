/** How this process was started, as far as administrators may see it: never a secret. */
import type { SystemResponse } from '@vidgen/contract/admin-system.ts';
import type { Config } from '../../config/config.ts';
import { unixSeconds } from '../../process/clock.ts';

export type ProcessInfo = {
  readonly role: Config['role'];
  /** `embedded` is the service's own database, `postgres` that of VIDGEN_DATABASE_URL. */
  readonly engine: SystemResponse['engine'];
  /** Unix seconds. */
  readonly startedAt: number;
  readonly settings: SystemResponse['settings'];
};

export function describeProcess(config: Config): ProcessInfo {
  return {
    role: config.role,
    engine: config.databaseUrl === null ? 'embedded' : 'postgres',
    startedAt: unixSeconds(),
    settings: publicSettings(config),
  };
}

/** By environment variable. Of a secret only whether it is set. */
function publicSettings(config: Config): SystemResponse['settings'] {
  const settings: Record<string, string | number | null> = {
    HOST: config.host,
    PORT: config.port,
    VIDGEN_ROLE: config.role,
    VIDGEN_HOME: config.home,
    VIDGEN_PUBLIC_URL: config.publicUrl,
    VIDGEN_SECRET: config.secret && 'set',
    VIDGEN_ADMIN_TOKEN: config.adminToken && 'set',
    VIDGEN_DATABASE_URL: config.databaseUrl && urlWithoutCredentials(config.databaseUrl),
    VIDGEN_DATABASE_LISTEN_URL:
      config.databaseListenUrl && urlWithoutCredentials(config.databaseListenUrl),
    VIDGEN_STORAGE_URL: config.storageUrl,
    VIDGEN_STORAGE_SERVE: config.storageServe,
    VIDGEN_STORAGE_CDN_URL: config.storageCdnUrl,
    VIDGEN_ALLOWED_NETWORKS: config.allowedNetworks,
    VIDGEN_TRUSTED_PROXIES: config.trustedProxies,
    VIDGEN_ALLOWED_HOSTS: config.allowedHosts.join(', '),
    VIDGEN_MATERIALS: config.materials,
    VIDGEN_RESULT_TTL: `${config.resultTtlSeconds} s`,
    VIDGEN_RETAIN_PROMPTS_DAYS: `${config.retentionDays.prompts}`,
    VIDGEN_RETAIN_DELIVERIES_DAYS: `${config.retentionDays.deliveries}`,
    VIDGEN_RETAIN_TASKS_DAYS: `${config.retentionDays.tasks}`,
    VIDGEN_TASK_TIMEOUT: `${config.taskTimeoutSeconds} s`,
    VIDGEN_WEBHOOK_RETRIES: config.webhookRetryDelaysSeconds
      .map((delay) => `${delay} s`)
      .join(', '),
    VIDGEN_RATE_CREATE: config.createsPerMinuteMax,
    VIDGEN_RATE_STATUS: config.statusQueriesPerMinuteMax,
    VIDGEN_RATE_CREATE_ACCOUNT: config.accountCreatesPerMinuteMax,
    VIDGEN_RATE_STATUS_ACCOUNT: config.accountQueriesPerMinuteMax,
    VIDGEN_RUNNING_TASKS_ACCOUNT: config.accountRunningTasksMax,
    VIDGEN_PREVIEW_SLOTS: config.previewSlots,
    VIDGEN_POSTERS: config.posters ? 'on' : 'off',
    VIDGEN_VERIFY: config.verify,
    VIDGEN_C2PA_CERT: config.boughtSigner?.certificate ?? null,
    VIDGEN_C2PA_KEY: config.boughtSigner && 'set',
    VIDGEN_METRICS_PORT: config.metricsPort,
    VIDGEN_METRICS_TOKEN: config.metricsToken && 'set',
    VIDGEN_DRAIN_SECONDS: config.drainSeconds,
    VIDGEN_SMTP_URL: config.smtpUrl && urlWithoutCredentials(config.smtpUrl),
    VIDGEN_MAIL_FROM: config.mailFrom,
    VIDGEN_NOTICE_WEBHOOK_URL:
      config.noticeWebhookUrl && urlWithoutCredentials(config.noticeWebhookUrl),
    OTEL_EXPORTER_OTLP_ENDPOINT: config.traces && urlWithoutCredentials(config.traces.url),
    VIDGEN_LOG_LEVEL: config.logLevel,
    VIDGEN_CONFIG: config.configFile,
  };
  return Object.entries(settings).map(([name, value]) => ({ name, value: String(value ?? '') }));
}

/** Removes user, password and query: each may contain a password. */
function urlWithoutCredentials(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
