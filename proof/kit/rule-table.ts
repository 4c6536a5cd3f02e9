/** Tables of rules: a row is a request and its whole error message, none where it is accepted. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createCatalog } from '../../server/catalog/catalog.ts';
import { checkGeneration } from '../../server/catalog/check.ts';
import type { CheckUrl } from '../../server/catalog/draft.ts';

/** Replaces egress: a test checks that it is called and that its rule ends the message. */
export const checkUrl: CheckUrl = (text, kind) => {
  if (kind === 'callback' && !text.startsWith('https://')) {
    return { ok: false, rule: 'must be an https URL' };
  }
  return text.includes('private') ? { ok: false, rule: 'must not be private' } : { ok: true };
};

export const catalog = createCatalog();
export const urls = (count: number, kind = 'file') =>
  Array.from({ length: count }, (_, index) => `https://media.example/${kind}-${index}`);

export type Row = {
  readonly rule: string;
  readonly model?: string;
  readonly callbackUrl?: string;
  readonly input?: object;
  /** Absent where the request is accepted. */
  readonly expectedError?: string;
};

function assertRule({ model = 'vidgen-2-5', callbackUrl, input, expectedError }: Row): void {
  const body = {
    model,
    ...(callbackUrl === undefined ? {} : { callback_url: callbackUrl }),
    input: { prompt: 'A paper boat', ...input },
  };
  const checked = checkGeneration(body, { catalog, checkUrl });
  assert.equal(checked.ok ? undefined : checked.message, expectedError);
}

export const table = (name: string, rows: readonly Row[]) =>
  describe(name, () => {
    for (const row of rows) test(row.rule, () => assertRule(row));
  });
