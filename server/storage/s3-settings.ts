/** Where a bucket is: `s3://bucket/prefix?region=…&endpoint=…&path_style=true`. */

export type S3Settings = {
  readonly bucket: string;
  /** In front of every key: empty, or ending with a slash. */
  readonly prefix: string;
  readonly region: string;
  /** Scheme, host and port of the store, without the bucket. */
  readonly endpoint: string;
  /** The same store as clients reach it, for presigned URLs. */
  readonly publicEndpoint: string;
  /** The bucket is the first part of the path, not of the host name. */
  readonly isPathStyle: boolean;
};

/** Removed from the environment of the process when it starts; see `takeSecrets`. */
export const awsSecretNames = [
  ...['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'],
  'AWS_CONTAINER_AUTHORIZATION_TOKEN',
];

const parameters = ['region', 'endpoint', 'public_endpoint', 'path_style'];
const bucketPattern = /^[a-zA-Z0-9][a-zA-Z0-9._-]{1,254}$/;
/** Plain names, none of which starts with a dot. */
const prefixPattern = /^(?:[a-zA-Z0-9_-][a-zA-Z0-9._-]{0,99}\/){0,9}$/;

/** Throws an error whose message says what is wrong with the URL; it never quotes a secret. */
export function parseS3Url(text: string): S3Settings {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 's3:') throw new Error('must be s3://bucket/prefix?region=…');
  if (url.username !== '' || url.password !== '') {
    throw new Error('must have no credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
  }
  const unknown = [...url.searchParams.keys()].find((name) => !parameters.includes(name));
  if (unknown !== undefined) {
    throw new Error(`must have no parameter ${unknown}; use ${parameters.join(', ')}`);
  }
  const bucket = url.hostname;
  if (!bucketPattern.test(bucket)) throw new Error('must name a bucket: s3://bucket/prefix');
  const path = url.pathname.split('/').filter((part) => part !== '');
  const prefix = path.map((part) => `${part}/`).join('');
  if (!prefixPattern.test(prefix)) {
    throw new Error('must have a prefix of letters, digits, dots, dashes and underscores');
  }
  const pathStyle = url.searchParams.get('path_style') ?? 'false';
  if (pathStyle !== 'true' && pathStyle !== 'false') {
    throw new Error('must have path_style=true or path_style=false');
  }
  const region = url.searchParams.get('region') ?? 'us-east-1';
  if (!/^[a-z0-9-]{1,50}$/.test(region)) throw new Error('must have a region such as eu-west-1');
  const endpoint = endpointOf(url, 'endpoint') ?? `https://s3.${region}.amazonaws.com`;
  const publicEndpoint = endpointOf(url, 'public_endpoint') ?? endpoint;
  return { bucket, prefix, region, endpoint, publicEndpoint, isPathStyle: pathStyle === 'true' };
}

function endpointOf({ searchParams }: URL, name: string): string | null {
  const text = searchParams.get(name);
  if (text === null) return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.href !== `${url.origin}/`) {
    throw new Error(`must have ${name} of scheme, host and port: https://s3.example.com`);
  }
  return url.origin;
}

/** For people: bucket and prefix without how they are reached. */
export const placeOf = ({ bucket, prefix }: S3Settings): string => `s3://${bucket}/${prefix}`;

/** Where requests go to: the origin, the host that is signed, and what paths begin with. */
export function s3Location(
  { bucket, isPathStyle }: S3Settings,
  endpoint: string,
): {
  readonly origin: string;
  readonly host: string;
  readonly basePath: string;
} {
  const { protocol, host } = new URL(endpoint);
  const ownHost = isPathStyle ? host : `${bucket}.${host}`;
  const basePath = isPathStyle ? `/${bucket}` : '';
  return { origin: `${protocol}//${ownHost}`, host: ownHost, basePath };
}
