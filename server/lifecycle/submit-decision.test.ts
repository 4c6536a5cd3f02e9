/** What a `submit` job does in every state of a task, its attempt and its provider. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { FindResult, Protection, Provider, StartResult } from '../providers/provider.ts';
import type { Attempt } from '../tasks/attempts.ts';
import {
  decideLookup,
  decideProvider,
  decideSubmit,
  downgradeToUnknown,
  type OpenAttempt,
  type ProviderChoice,
  type SubmitAction,
} from './submit-decision.ts';

const generation = {} as Generation;
const withSecondsLeft = (secondsLeft: number) => ({ secondsLeft, generation });
const enough = withSecondsLeft(600);
/** Less than the provider usually needs. */
const tooLittle = withSecondsLeft(30);
const none = withSecondsLeft(0);

const providerWith = (protection: Protection) =>
  ({ name: 'p', protection, typicalSeconds: () => 60 }) as unknown as Provider;
const provider = providerWith('none');

const unasked = { operation: null, startUncertain: false } as Attempt;
const uncertain = { operation: null, startUncertain: true } as Attempt;
/** A provider callback reported the operation. */
const known = { operation: 'op 1', startUncertain: false } as Attempt;

type TaskFacts = Parameters<typeof decideSubmit>[0];

/** The action, and for a start whether an earlier one may have been accepted. */
const shown = (action: SubmitAction): string =>
  action.action === 'start' && action.attempt ? 'start again' : action.action;

describe('decides by the open attempt', () => {
  const open = (attempt: Attempt, protection: Protection): OpenAttempt => {
    return { attempt, provider: providerWith(protection) };
  };
  const table: readonly (readonly [string, TaskFacts, OpenAttempt | null, string])[] = [
    ['no attempt', enough, null, 'choose-provider'],
    ['no attempt, little time', tooLittle, null, 'choose-provider'],
    ['no attempt, deadline passed', none, null, 'time-out'],
    ['accepted, deadline passed', none, open(known, 'none'), 'record-accepted'],
    ['uncertain, look-up, deadline passed', none, open(uncertain, 'look-up'), 'look-up'],
    ['not asked, deadline passed', none, open(unasked, 'look-up'), 'time-out'],
    ['uncertain, deadline passed', none, open(uncertain, 'idempotency-key'), 'time-out'],
    ['provider removed', enough, { attempt: unasked, provider: null }, 'submit-again'],
    ['provider removed, uncertain', enough, { attempt: uncertain, provider: null }, 'abandon'],
    ['provider removed, accepted', enough, { attempt: known, provider: null }, 'abandon'],
    ['accepted', enough, open(known, 'none'), 'record-accepted'],
    ['accepted, little time', tooLittle, open(known, 'look-up'), 'record-accepted'],
    ['nothing created', enough, open(unasked, 'none'), 'submit-again'],
    ['uncertain, key', enough, open(uncertain, 'idempotency-key'), 'start again'],
    ['uncertain, key, little time', tooLittle, open(uncertain, 'idempotency-key'), 'start again'],
    ['uncertain, look-up', enough, open(uncertain, 'look-up'), 'look-up'],
    ['uncertain, look-up, little time', tooLittle, open(uncertain, 'look-up'), 'look-up'],
    ['uncertain, no protection', enough, open(uncertain, 'none'), 'retry-later'],
  ];
  for (const [name, task, attempt, action] of table) {
    test(`${name}: ${action}`, () => assert.equal(shown(decideSubmit(task, attempt)), action));
  }
});

describe('decides by the choice of a provider', () => {
  const table: readonly (readonly [string, TaskFacts, ProviderChoice, SubmitAction])[] = [
    [
      'busy',
      enough,
      { choice: 'wait', providers: ['gpu'] },
      { action: 'wait-for-capacity', providers: ['gpu'] },
    ],
    ['none left', enough, { choice: 'none' }, { action: 'fail-no-provider' }],
    [
      'available',
      enough,
      { choice: 'provider', provider },
      { action: 'start', provider, attempt: null },
    ],
    ['too slow', tooLittle, { choice: 'provider', provider }, { action: 'time-out' }],
  ];
  for (const [name, task, choice, action] of table) {
    test(`${name}: ${action.action}`, () => assert.deepEqual(decideProvider(task, choice), action));
  }
});

describe('decides by the result of a look-up', () => {
  const attempt = uncertain;
  const table: readonly (readonly [string, TaskFacts, FindResult, SubmitAction])[] = [
    [
      'found',
      tooLittle,
      { outcome: 'found', operation: 'op 1' },
      { action: 'record-accepted', provider, attempt, operation: 'op 1' },
    ],
    [
      'absent',
      enough,
      { outcome: 'absent' },
      { action: 'submit-again', detail: 'the start did not arrive' },
    ],
    [
      'absent, deadline passed',
      none,
      { outcome: 'absent' },
      { action: 'time-out-unstarted', attempt },
    ],
    [
      'unknown',
      enough,
      { outcome: 'unknown', detail: 'no list' },
      { action: 'retry-later', error: 'no list' },
    ],
    [
      'unknown, deadline passed',
      none,
      { outcome: 'unknown', detail: 'no list' },
      { action: 'time-out' },
    ],
  ];
  for (const [name, task, found, action] of table) {
    test(`${name}: ${action.action}`, () =>
      assert.deepEqual(decideLookup(task, { provider, attempt }, found), action));
  }
});

describe('a start that may repeat an accepted one', () => {
  const accepted: StartResult = { outcome: 'accepted', operation: 'op 1' };
  const unknown: StartResult = { outcome: 'unknown', detail: 'd' };
  const throttled: StartResult = { outcome: 'throttled', retryAfterSeconds: 1, detail: 'd' };
  const refused = (canFailOver: boolean): StartResult => {
    return { outcome: 'rejected', reason: 'failed', canFailOver, detail: 'd' };
  };
  const unreadable: StartResult = {
    outcome: 'rejected',
    reason: 'material',
    canFailOver: false,
    detail: 'd',
  };
  const table: readonly (readonly [string, StartResult, StartResult])[] = [
    ['accepted', accepted, accepted],
    ['unknown', unknown, unknown],
    ['throttled', throttled, unknown],
    ['refused, another provider possible', refused(true), unknown],
    ['refused for a file that was readable before', unreadable, unknown],
    ['refused for its content', refused(false), refused(false)],
  ];
  for (const [name, startResult, expected] of table) {
    test(`${name}: counts as ${expected.outcome}`, () => {
      assert.deepEqual(downgradeToUnknown(startResult, { attempt: uncertain }), expected);
      assert.deepEqual(downgradeToUnknown(startResult, { attempt: null }), startResult);
    });
  }
});
