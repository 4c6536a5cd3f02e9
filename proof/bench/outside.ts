/** Starts what is outside the service, and the configuration that sends tasks there. */
import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { modelNames } from '@vidgen/contract/models.ts';

export type OutsideOptions = { readonly key: string; readonly cert: string };
export type OutsideMessage = { readonly hanging: readonly string[] } | { readonly report: true };
export type OutsideReport = {
  readonly webhooks: number;
  /** Webhooks that wait for a response of a hanging receiver. */
  readonly hanging: number;
};

export type Outside = Awaited<ReturnType<typeof startOutside>>;

/** How many receivers there are, each at an IP address of its own. */
export const receiversMax = 100;
export const receiverHost = (number: number): string => `127.0.0.${number + 1}`;

export async function startOutside(folder: string) {
  mkdirSync(folder, { recursive: true });
  const certificateFile = join(folder, 'receiver.crt');
  const keyFile = join(folder, 'receiver.key');
  makeCertificate({ certificateFile, keyFile });
  const options: OutsideOptions = {
    key: readFileSync(keyFile, 'utf8'),
    cert: readFileSync(certificateFile, 'utf8'),
  };
  const child = fork(new URL('./outside-process.ts', import.meta.url), [JSON.stringify(options)]);
  const [ports] = (await once(child, 'message')) as [{ port: number; securePort: number }];
  const ask = async (message: OutsideMessage): Promise<OutsideReport> => {
    child.send(message);
    return ((await once(child, 'message')) as [OutsideReport])[0];
  };
  const configFile = join(folder, 'bench.config.mjs');
  writeFileSync(configFile, configText(ports.port));
  return {
    ...ports,
    /** For `NODE_EXTRA_CA_CERTS`: every receiver has this certificate. */
    certificateFile,
    /** The environment of a service whose tasks finish at once. */
    environment: {
      VIDGEN_CONFIG: configFile,
      OUTSIDE_KEY: 'a key of the upstream',
      NODE_EXTRA_CA_CERTS: certificateFile,
    },
    countWebhooks: async (): Promise<number> => (await ask({ report: true })).webhooks,
    countHanging: async (): Promise<number> => (await ask({ report: true })).hanging,
    /** Makes the receivers at these IP addresses hang, and no others. */
    hang: async (hanging: readonly string[]): Promise<void> => void (await ask({ hanging })),
    [Symbol.dispose]: (): void => void child.kill(),
  };
}

function makeCertificate(files: { certificateFile: string; keyFile: string }): void {
  const hosts = Array.from({ length: receiversMax }, (_, at) => `IP:${receiverHost(at)}`);
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
      ...['-days', '2', '-subj', '/CN=receiver', '-addext', `subjectAltName=${hosts.join(',')}`],
      ...['-keyout', files.keyFile, '-out', files.certificateFile],
    ],
    { stdio: 'ignore' },
  );
}

function configText(port: number): string {
  const upstream = {
    kind: 'declared',
    baseUrl: `http://127.0.0.1:${port}`,
    apiKey: { env: 'OUTSIDE_KEY' },
    models: Object.fromEntries(modelNames.map((name) => [name, name])),
    // The upstream is to be no limit.
    getPerSecond: 100_000,
    start: {
      path: '/start',
      body: {
        model: '{{model}}',
        prompt: '{{prompt}}',
        seconds: '{{seconds}}',
        resolution: '{{resolution}}',
        ratio: '{{aspect_ratio}}',
        sound: '{{sound}}',
      },
      operation: 'id',
    },
    status: {
      path: '/status/{{operation}}',
      state: 'state',
      states: { done: 'completed' },
      video: 'video',
    },
  };
  const routes = Object.fromEntries(modelNames.map((name) => [name, ['upstream']]));
  return `export default ${JSON.stringify({ providers: { upstream }, routes })};\n`;
}
