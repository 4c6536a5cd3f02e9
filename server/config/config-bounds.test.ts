/** Settings that would start a service which then fails are errors at the start, in one message. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ConfigError, readConfig } from './config.ts';

const thisFile = fileURLToPath(import.meta.url);

const wrong: readonly (readonly [name: string, value: string, message: RegExp])[] = [
  ['VIDGEN_RESULT_TTL', '9999999d', /VIDGEN_RESULT_TTL must be a duration .* at most 3650d/],
  ['VIDGEN_TASK_TIMEOUT', '31d', /VIDGEN_TASK_TIMEOUT must be a duration .* at most 30d/],
  ['VIDGEN_RETAIN_PROMPTS_DAYS', '-1', /VIDGEN_RETAIN_PROMPTS_DAYS must be .*, 0 to 3650/],
  ['VIDGEN_RETAIN_DELIVERIES_DAYS', '7d', /VIDGEN_RETAIN_DELIVERIES_DAYS must be .*, 0 to 3650/],
  ['VIDGEN_RETAIN_TASKS_DAYS', '3651', /VIDGEN_RETAIN_TASKS_DAYS must be .*, 0 to 3650/],
  ['VIDGEN_WEBHOOK_RETRIES', '5s,999999d', /VIDGEN_WEBHOOK_RETRIES must be .* at most 30d/],
  ['VIDGEN_DRAIN_SECONDS', '21', /VIDGEN_DRAIN_SECONDS must be a whole number, 0 to 20/],
  ['VIDGEN_METRICS_PORT', '0', /VIDGEN_METRICS_PORT must be a whole number, 1 to 65535/],
  ['VIDGEN_METRICS_PORT', '65536', /VIDGEN_METRICS_PORT must be a whole number, 1 to 65535/],
  ['VIDGEN_SMTP_URL', 'https://a', /VIDGEN_SMTP_URL must be a URL that starts with smtp:/],
  ['VIDGEN_NOTICE_WEBHOOK_URL', 'ftp://a', /VIDGEN_NOTICE_WEBHOOK_URL must be a URL/],
  ['VIDGEN_OIDC_CLIENT_ID', 'vidgen', /VIDGEN_OIDC_ISSUER, .* require each other; set all/],
  ['VIDGEN_OIDC_DOMAINS', 'example.com', /VIDGEN_OIDC_DOMAINS and VIDGEN_OIDC_ACCOUNT require/],
  ['VIDGEN_OIDC_DOMAINS', '@example.com', /VIDGEN_OIDC_DOMAINS must be host names/],
  ['VIDGEN_OIDC_ROLE', 'owner', /VIDGEN_OIDC_ROLE must be developer or viewer \(got owner\)/],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'grpc://a', /OTEL_EXPORTER_OTLP_ENDPOINT must be a URL/],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a=b\r\nx: y', /OTEL_EXPORTER_OTLP_HEADERS must be name=value/],
  ['OTEL_TRACES_SAMPLER_ARG', '2', /OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1/],
  ['VIDGEN_PUBLIC_URL', 'https://a.example/?x=1', /VIDGEN_PUBLIC_URL must have no user name/],
  ['VIDGEN_PUBLIC_URL', 'https://a.example/?', /VIDGEN_PUBLIC_URL must have no user name/],
  ['VIDGEN_PUBLIC_URL', 'https://a.example/#top', /query or fragment/],
  ['VIDGEN_PUBLIC_URL', 'https://me:secret@a.example', /no user name, password/],
  ['VIDGEN_HOME', thisFile, /VIDGEN_HOME must be a folder; .* is a file/],
  ['VIDGEN_HOME', `${thisFile}/below`, /VIDGEN_HOME must be a folder; .*test\.ts is a file/],
];

for (const [name, value, message] of wrong) {
  test(`${name}=${value.replace(thisFile, 'a file')} is an error`, () => {
    assert.throws(
      () => readConfig({ [name]: value }),
      (error: unknown) => error instanceof ConfigError && message.test(error.message),
    );
  });
}

test('the issuer has TLS, except on this machine, and keeps its path', () => {
  const openidOf = (issuer: string) =>
    readConfig({
      VIDGEN_OIDC_ISSUER: issuer,
      VIDGEN_OIDC_CLIENT_ID: 'vidgen',
      VIDGEN_OIDC_CLIENT_SECRET: 'a secret',
    }).openid;
  for (const issuer of ['https://a.example/realms/b/', 'https://a.example/c', 'http://[::1]:9/']) {
    assert.equal(openidOf(issuer)?.issuer, issuer);
  }
  assert.equal(openidOf('https://a.example')?.name, 'single sign-on');
  const insecure = ['http://a.example', 'ftp://a.example', 'a.example', 'https://a.example/?b'];
  for (const issuer of [...insecure, 'http://127.0.0.1.evil.example', 'https://me@a.example']) {
    assert.throws(() => openidOf(issuer), /VIDGEN_OIDC_ISSUER must be a URL/);
  }
});

test('the largest values are allowed, and a home that does not exist yet', () => {
  const config = readConfig({
    VIDGEN_RESULT_TTL: '3650d',
    VIDGEN_TASK_TIMEOUT: '30d',
    VIDGEN_WEBHOOK_RETRIES: '30d',
    VIDGEN_PUBLIC_URL: 'https://a.example/below/',
    VIDGEN_HOME: `${thisFile}-not-there`,
  });
  assert.equal(config.publicUrl, 'https://a.example/below');
});
