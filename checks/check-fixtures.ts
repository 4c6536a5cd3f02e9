/**
 * Tests a check: the repository has no problem, and each rule reports a planted violation, so that
 * no rule passes because it never applies.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTree, type Tree } from './tree.ts';

type ViolationFixture = {
  readonly rule: string;
  readonly files: Readonly<Record<string, string>>;
  /** The expected problems in order, each by a part of its text; empty for what is allowed. */
  readonly problems: readonly string[];
};

export function testCheck(
  title: string,
  check: (tree: Tree) => string[],
  fixtures: readonly ViolationFixture[],
): void {
  test(`${title}: the repository keeps every rule`, () => {
    const found = check(readTree());
    if (found.length > 0) assert.fail(found.join('\n'));
  });
  for (const { rule, files, problems } of fixtures) {
    test(`${title}: ${rule}`, () => {
      const found = check(new Map(Object.entries(files)));
      assert.equal(found.length, problems.length, found.join('\n'));
      problems.forEach((part, index) => {
        assert.ok(found[index]?.includes(part), `${found[index]}\ndoes not say: ${part}`);
      });
    });
  }
}
