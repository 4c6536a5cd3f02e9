/**
 * Signed URLs of a CloudFront distribution in front of the bucket, with a canned policy: "Create a
 * signed URL using a canned policy" in the Amazon CloudFront Developer Guide.
 */
import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { ConfigError } from '../config/config.ts';
import { unixSeconds } from '../process/clock.ts';
import { type PresignFile, parseKey } from './storage.ts';

type CloudFrontSettings = {
  /** Without a slash at the end. */
  readonly base: string;
  /** Of the public key that the distribution trusts. */
  readonly keyId: string;
  /** The path of the private key, in PEM. */
  readonly keyFile: string;
};

/** Throws an error that says what is wrong. */
export function parseCdnUrl(text: string): CloudFrontSettings {
  const { origin, pathname, searchParams, username } = new URL(text);
  const keyId = searchParams.get('key_id');
  const keyFile = searchParams.get('key_file');
  if (!keyId || !keyFile || searchParams.size !== 2 || username !== '') {
    throw new Error(
      'must have key_id and key_file: https://d111.cloudfront.net?key_id=…&key_file=…',
    );
  }
  return { base: origin + pathname.replace(/\/{1,9}$/, ''), keyId, keyFile };
}

/** Reads the key once. `prefix` is that of the bucket: paths of the distribution have it too. */
export async function openCloudFront(
  { base, keyId, keyFile }: CloudFrontSettings,
  prefix: string,
): Promise<PresignFile> {
  const privateKey = await readKey(keyFile);
  return async ({ key, seconds }) => {
    parseKey(key);
    const url = `${base}/${prefix}${key}`;
    const expires = unixSeconds() + seconds;
    const condition = { DateLessThan: { 'AWS:EpochTime': expires } };
    const policy = JSON.stringify({ Statement: [{ Resource: url, Condition: condition }] });
    // The only digest that every distribution accepts; only we choose what is signed.
    const signature = urlSafe(sign('sha1', Buffer.from(policy), privateKey));
    const fields = [`Expires=${expires}`, `Signature=${signature}`, `Key-Pair-Id=${keyId}`];
    return `${url}?${fields.join('&')}`;
  };
}

async function readKey(file: string): Promise<KeyObject> {
  try {
    return createPrivateKey(await readFile(file, 'utf8'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError([
      `VIDGEN_STORAGE_CDN_URL: ${file} is no private key in PEM (${code}); set key_file`,
    ]);
  }
}

const urlSafe = (signature: Buffer): string =>
  signature.toString('base64').replaceAll('+', '-').replaceAll('=', '_').replaceAll('/', '~');
