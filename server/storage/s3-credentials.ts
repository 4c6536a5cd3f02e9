/**
 * Credentials of an object store, from where the AWS clients look for them: variables, a shared
 * credentials file, or the endpoint of a container. Those that can change are read again in time.
 */
import { readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import type { Environment } from '../config/env-reader.ts';
import { nowMs } from '../process/clock.ts';
import { registerSecret } from '../telemetry/log.ts';
import type { S3Credentials } from './s3-signature.ts';
import { StorageError } from './storage.ts';

/** `isRejected`: the store has refused the ones returned last, so they are read again. */
export type CredentialSource = (options?: {
  readonly isRejected?: boolean;
}) => Promise<S3Credentials>;

// An import would also load Node's `fetch`, which takes 11 MB.
const { get } = process.getBuiltinModule('node:http');

/** Temporary credentials are replaced this long before they end. */
const renewBeforeMs = 5 * 60_000;
const containerTimeoutMs = 5_000;
const containerHost = 'http://169.254.170.2';

/** The first source that is configured, in the order of the AWS clients. */
export function createCredentialSource(environment: Environment): CredentialSource {
  const read = (name: string): string | null => environment[name]?.trim() || null;
  const accessKeyId = read('AWS_ACCESS_KEY_ID');
  const secretAccessKey = read('AWS_SECRET_ACCESS_KEY');
  if (accessKeyId !== null && secretAccessKey !== null) {
    const fixed = registered({
      accessKeyId,
      secretAccessKey,
      sessionToken: read('AWS_SESSION_TOKEN'),
    });
    return async () => fixed;
  }
  const relativeUri = read('AWS_CONTAINER_CREDENTIALS_RELATIVE_URI');
  const uri = relativeUri
    ? containerHost + relativeUri
    : read('AWS_CONTAINER_CREDENTIALS_FULL_URI');
  const file = read('AWS_SHARED_CREDENTIALS_FILE');
  if (uri !== null && file === null) {
    return containerSource(uri, {
      token: read('AWS_CONTAINER_AUTHORIZATION_TOKEN'),
      tokenFile: read('AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE'),
    });
  }
  const path = file ?? join(homedir(), '.aws', 'credentials');
  return fileSource(path, read('AWS_PROFILE') ?? 'default');
}

/** Reads the file again whenever it has changed, so that a rotation needs no restart. */
function fileSource(path: string, profile: string): CredentialSource {
  let known: { readonly version: string; readonly credentials: S3Credentials } | null = null;
  return async () => {
    const found = await stat(path, { bigint: true }).catch(() => null);
    if (!found) {
      throw missing(
        'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_SHARED_CREDENTIALS_FILE ' +
          `(there is no ${path})`,
      );
    }
    const version = `${found.ino}-${found.mtimeNs}-${found.size}`;
    if (known?.version === version) return known.credentials;
    const credentials = parseProfile(await readFile(path, 'utf8'), profile);
    // The file can be caught while it is written: what was read before still counts then.
    if (!credentials && known) return known.credentials;
    if (!credentials) throw missing(`${path} has no keys for the profile ${profile}`);
    known = { version, credentials: registered(credentials) };
    return known.credentials;
  };
}

/** Null unless the profile has both keys. */
function parseProfile(text: string, profile: string): S3Credentials | null {
  const values = new Map<string, string>();
  let isProfile = false;
  for (const line of text.split('\n').map((one) => one.trim())) {
    if (line.startsWith('[')) isProfile = line === `[${profile}]`;
    const at = line.indexOf('=');
    if (!isProfile || at < 0 || line.startsWith('#') || line.startsWith(';')) continue;
    values.set(line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim());
  }
  const accessKeyId = values.get('aws_access_key_id');
  const secretAccessKey = values.get('aws_secret_access_key');
  if (!accessKeyId || !secretAccessKey) return null;
  return { accessKeyId, secretAccessKey, sessionToken: values.get('aws_session_token') ?? null };
}

/** The endpoint of ECS and of EKS Pod Identity. */
function containerSource(
  uri: string,
  { token, tokenFile }: { readonly token: string | null; readonly tokenFile: string | null },
): CredentialSource {
  let known: { readonly endsAtMs: number; readonly credentials: S3Credentials } | null = null;
  const load = async () => {
    const authorization = tokenFile === null ? token : (await readFile(tokenFile, 'utf8')).trim();
    const body = JSON.parse(await fetchText(uri, authorization)) as Record<string, string>;
    const { AccessKeyId, SecretAccessKey, Token, Expiration } = body;
    if (!AccessKeyId || !SecretAccessKey) throw new Error('no keys in the response');
    const endsAtMs = Expiration ? Date.parse(Expiration) : Number.POSITIVE_INFINITY;
    const keys = { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey };
    return { endsAtMs, credentials: registered({ ...keys, sessionToken: Token ?? null }) };
  };
  return async ({ isRejected = false } = {}) => {
    if (known && !isRejected && nowMs() < known.endsAtMs - renewBeforeMs) return known.credentials;
    try {
      known = await load();
    } catch (error) {
      // Those known are good until they end.
      if (!known || nowMs() >= known.endsAtMs) {
        throw missing(`the container endpoint returned none (${(error as Error).message})`);
      }
    }
    return known.credentials;
  };
}

async function fetchText(uri: string, authorization: string | null): Promise<string> {
  const headers = authorization === null ? {} : { authorization };
  return await new Promise((resolve, reject) => {
    const request = get(uri, { headers, timeout: containerTimeoutMs }, (response) => {
      if (response.statusCode === 200) return resolve(readText(response));
      response.resume();
      reject(new Error(`status ${response.statusCode}`));
    });
    request.once('timeout', () => request.destroy(new Error('no response')));
    request.once('error', reject);
  });
}

function registered(credentials: S3Credentials): S3Credentials {
  registerSecret(credentials.secretAccessKey);
  registerSecret(credentials.sessionToken);
  return credentials;
}

const missing = (why: string): StorageError =>
  new StorageError('not_allowed', {
    code: 'NoCredentials',
    message: `there are no credentials for the object store: ${why}`,
  });
