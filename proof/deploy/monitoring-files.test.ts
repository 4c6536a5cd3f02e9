/** The alert rules and the Grafana dashboard name metrics that the service has. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startService, type TestService } from '../kit/service.ts';

const deploy = join(import.meta.dirname, '../../deploy');
const read = (path: string) => readFileSync(join(deploy, path), 'utf8');

let service: TestService;
let existing: ReadonlySet<string>;
before(async () => {
  service = await startService({ environment: { VIDGEN_ROLE: 'api' } });
  const text = await (await fetch(`${service.url}/metrics`)).text();
  existing = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!));
});
after(() => service.close());

const metricName = /\b(?:vidgen|process|nodejs)_[a-z0-9_]+/g;
const metricsIn = (expression: string) => [
  ...new Set(
    [...expression.matchAll(metricName)].map(([name]) => name.replace(/_(bucket|sum|count)$/, '')),
  ),
];

test('every query of the dashboard names an existing metric', () => {
  const dashboard = JSON.parse(read('grafana/vidgen.json')) as {
    panels: { title: string; targets?: { expr: string }[] }[];
  };
  const queries = dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({ title, names: metricsIn(expr) })),
  );
  assert.ok(queries.length > 20);
  for (const { title, names } of queries) {
    assert.notDeepEqual(names, [], title);
    for (const name of names) assert.ok(existing.has(name), `${title}: ${name} does not exist`);
  }
});

test('every alert names an existing metric, has a remedy, and is tested', () => {
  const rules = read('prometheus/alerts.yaml').split('- alert: ').slice(1);
  const tests = read('prometheus/alerts.test.yaml');
  assert.ok(rules.length >= 9);
  for (const rule of rules) {
    const [alert = ''] = rule.split('\n');
    const [, expression = ''] = /expr:([\s\S]*?)\n {8}(?:for|labels):/.exec(rule) ?? [];
    for (const name of metricsIn(expression)) {
      assert.ok(existing.has(name), `${alert}: ${name} does not exist`);
    }
    assert.match(rule, /^ {10}action: \S/m, alert);
    assert.match(tests, new RegExp(`alertname: ${alert}\\n\\s+exp_alerts:`), alert);
  }
});
