/** Sample providers and tests for the examples of the OpenAPI document. */
import { createdAt } from '../http/samples.ts';

export const providerHealth = {
  name: 'ark',
  source: 'dashboard',
  kind: 'modelark',
  base_url: 'https://ark.ap-southeast.bytepluses.com/api/v3',
  key_last_four: '9xTa',
  state: 'active',
  serves: ['vidgen-2-5', 'vidgen-2-0'],
  models: ['vidgen-2-5', 'vidgen-2-0'],
  breaker: 'closed',
  seconds_until_trial: 0,
  open_tasks: 3,
  concurrency: 10,
  last_30_days: { attempts: 1840, completed: 1802, failed: 21, median_seconds: 74.2 },
  starts: { accepted: 128, refused: 2, throttled: 5, unknown: 1 },
  status_troubles: 4,
  start_ms: { p50: 420, p95: 1800 },
  last_trouble: { detail: 'HTTP 500 InternalServiceError', at: createdAt },
};

export const providerRoute = {
  model: 'vidgen-2-5',
  providers: ['ark', 'fal'],
  source: 'dashboard',
};

export const providerTest = {
  id: 'test_01kbgq5c2m7h4n9p6q3r8s1t5v',
  provider: 'ark',
  model: 'vidgen-2-5',
  resolution: '480p',
  duration: 4,
  state: 'running',
  progress: 0.4,
  detail: null,
  video_url: null,
  created_at: createdAt,
  seconds: 12.5,
};
