/**
 * What an administrator entered in the dashboard, as the settings of the configuration file. The
 * same schema checks both.
 */
import type { PresetModel } from '@vidgen/contract/admin-presets.ts';
import type { ProviderPreset } from '@vidgen/contract/provider-kinds.ts';
import type { z } from 'zod';
import { isMetadataHost } from '../../config/operator-host.ts';
import { hostOf } from '../../egress/check-url.ts';
import type { DeclaredSettings } from '../declared/settings.ts';
import { isTunnelUrl } from '../fleet/tunnel-provider.ts';
import { ProviderSettings } from '../kinds.ts';
import type { StoredSettings } from './store.ts';

type Preset = {
  readonly label: string;
  /** Without `baseUrl` where the host belongs to the account. */
  readonly provider: Omit<DeclaredSettings, 'baseUrl'> & Partial<Pick<DeclaredSettings, 'baseUrl'>>;
  /** Of a base URL, where the host belongs to the account. */
  readonly exampleUrl?: string;
  /** What it can make, by the names to declare it by. */
  readonly models: Readonly<Record<string, Omit<PresetModel, 'name'>>>;
};
export type Presets = Readonly<Record<ProviderPreset, Preset>>;

type ResolvedSettings =
  | { readonly settings: ProviderSettings }
  /** Begins with the field of the request. */
  | { readonly problem: string };

/** The name stands for the key until `read` of the adapter decrypts it. */
export function resolveSettings(
  stored: StoredSettings,
  { presets, credentials }: { readonly presets: Presets; readonly credentials: readonly string[] },
): ResolvedSettings {
  const urlProblem = stored.base_url === undefined ? null : baseUrlProblem(stored.base_url);
  if (urlProblem !== null) return { problem: `base_url ${urlProblem}` };
  const { kind, preset, declaration } = stored;
  if (kind === 'declared' && (preset === undefined) === (declaration === undefined)) {
    return { problem: 'preset or declaration is required with the kind declared, and only one' };
  }
  const described: Record<string, unknown> | undefined =
    preset === undefined ? declaration : presets[preset].provider;
  // A secret of callbacks would be the name of an environment variable.
  const { webhookSecret: _, ...description } = { ...(kind === 'declared' ? described : {}) };
  const entered = {
    kind,
    ...defined({
      baseUrl: stored.base_url,
      dialect: stored.dialect,
      models: stored.models,
      workflows: workflowsOf(stored),
      concurrency: stored.concurrency,
      costs: stored.costs,
    }),
    apiKey: credentials.length === 0 ? undefined : credentials.map((env) => ({ env })),
  };
  const candidate = { ...description, ...entered };
  const parsed = ProviderSettings.safeParse(candidate);
  if (!parsed.success) {
    const fieldOf = (setting: string): string =>
      declaration === undefined || setting in entered
        ? (requestNames[setting] ?? setting)
        : `declaration.${setting}`;
    return { problem: problemOf(parsed.error, candidate, fieldOf) };
  }
  const url = parsed.data.baseUrl;
  const problem = url === undefined ? null : baseUrlProblem(url);
  return problem === null
    ? { settings: parsed.data }
    : { problem: `declaration.baseUrl ${problem}` };
}

function workflowsOf({ workflows }: StoredSettings) {
  if (!workflows) return undefined;
  return Object.fromEntries(
    Object.entries(workflows).map(([model, list]) => [
      model,
      list.map(({ graph, fps, output_node: outputNode }) => defined({ graph, fps, outputNode })),
    ]),
  );
}

const defined = (values: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

const requestNames: Readonly<Record<string, string>> = { apiKey: 'api_key', baseUrl: 'base_url' };

/** All issues, each with the field that the administrator knows. */
function problemOf(
  error: z.ZodError,
  candidate: Readonly<Record<string, unknown>>,
  fieldOf: (setting: string) => string,
): string {
  const messages = error.issues.map((issue) => {
    const [setting = 'kind', ...inner] = issue.path.map(String);
    const where = [fieldOf(setting), ...inner].join('.');
    if (inner.length === 0 && candidate[setting] === undefined) {
      return `${where} is required for this kind`;
    }
    if (issue.code === 'unrecognized_keys') {
      return issue.path.length === 0
        ? `${issue.keys.map(fieldOf).join(', ')} is not a setting of this kind`
        : `${where} has no setting ${issue.keys.join(', ')}`;
    }
    return `${where} ${issue.message.charAt(0).toLowerCase()}${issue.message.slice(1)}`;
  });
  return messages.join('; ');
}

/**
 * Private addresses are allowed, because models are self-hosted there. Those of the
 * metadata services of clouds are not; a name is judged when it is looked up for a connection.
 */
function baseUrlProblem(text: string): string | null {
  if (isTunnelUrl(text)) return null;
  if (!URL.canParse(text)) return 'must be an http or https URL';
  const url = new URL(text);
  if (!/^https?:$/.test(url.protocol)) return 'must be an http or https URL';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (url.search !== '' || url.hash !== '') return 'must not contain a query or a fragment';
  return isMetadataHost(hostOf(url)) ? 'must not be a link-local address' : null;
}
