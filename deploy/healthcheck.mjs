/**
 * Exits with 0 when the process in this container is healthy, for HEALTHCHECK and exec probes; with
 * the argument `readyz`, when it is ready. A worker has no API, and responds on
 * VIDGEN_METRICS_PORT.
 */
import { request } from 'node:http';

const { PORT = '8787', VIDGEN_METRICS_PORT = '' } = process.env;
const path = `/${process.argv[2] ?? 'healthz'}`;

/** @param {string} port @returns {Promise<number | null>} the status, or null without a response */
const statusAt = (port) =>
  new Promise((resolve) => {
    if (port === '') return resolve(null);
    const sent = request({ host: '127.0.0.1', port, path, timeout: 4000 }, (response) => {
      response.resume();
      resolve(response.statusCode ?? null);
    });
    sent.on('timeout', () => sent.destroy()).on('error', () => resolve(null));
    sent.end();
  });

const status = (await statusAt(PORT)) ?? (await statusAt(VIDGEN_METRICS_PORT));
process.exit(status === 200 ? 0 : 1);
