import { testCheck } from './check-fixtures.ts';
import { comparisonProblems } from './comparisons.ts';

const wrong = [
  'if (given === adminToken) return;',
  'if (service.adminToken !== given) throw refusal();',
  'return own.signature === signature;',
  'const isRight = row.password == password;',
  'if (webhookSecret()  === secret) ok();',
];

testCheck('comparisons', comparisonProblems, [
  ...wrong.map((code) => ({
    rule: `no secret is compared by its text: ${code}`,
    files: { 'server/api/authorize.ts': code },
    problems: ['timingSafeEqual'],
  })),
  {
    rule: 'whether there is one may be asked, and tests may compare as they like',
    files: {
      'server/api/authorize.ts':
        "if (token === null || signature === '' || secret !== undefined) f();" +
        "if (typeof token === 'string') g();",
      'server/api/authorize.test.ts': 'if (given === adminToken) return;',
      'dashboard/src/api/client.ts': 'if (given === token) return;',
    },
    problems: [],
  },
]);
