/** No mail or notice carries a link that others chose, in any of their names, URLs or errors. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { invitationMail, noPasswordMail, noticeMail } from './mail-text.ts';
import type { NewNotice } from './notice.ts';
import { noticeText } from './notice-text.ts';
import { securityMail } from './security-mail.ts';

const publicUrl = 'https://videos.example.com';
const hostile = [
  'Confirm your account at https://evil.example/login?a=b',
  'HTTP:\\\\evil.example and www.evil.example/x',
  'evil.example/login evil\uff0eexample evil\u3002example evil\ufe52example ada@evil.example',
  'ftp.evil.example:8080 \u202eelpmaxe.live\u202c\r\nBcc: all@evil.example',
  `<a href="https://evil.example">x</a> ${'long '.repeat(200)}`,
];

const ofAccount = { accountId: 'a', subject: '' };

const noticesWith = (text: string): NewNotice[] => [
  { kind: 'low_balance', ...ofAccount, detail: { available: 1, threshold: 2 } },
  { kind: 'refund_waiting', ...ofAccount, detail: { task_id: text, credits: 1 } },
  {
    kind: 'provider_breaker_open',
    accountId: null,
    subject: '',
    detail: { provider: text, error: text },
  },
  {
    kind: 'webhook_failing',
    ...ofAccount,
    detail: { url: 'https://confirm.evil.example/your/account', deliveries: 3 },
  },
  {
    kind: 'key_cap_reached',
    ...ofAccount,
    detail: { key_id: 'k', key_name: text, cap: 1, period: 'day' },
  },
];

function mailsWith(text: string) {
  const link = { link: `${publicUrl}/dashboard/join#x`, expiresAt: new Date(0), publicUrl };
  const notices = noticesWith(text).map((notice) => {
    const { title, message } = noticeText(notice, text);
    return noticeMail({ title, message, action: { label: 'Open', url: publicUrl }, publicUrl });
  });
  const linked = { kind: 'identity_linked', provider: text, email: text } as const;
  return [
    ...notices,
    invitationMail({ ...link, invitedBy: text, account: { name: text, role: 'owner' } }),
    noPasswordMail(text, publicUrl),
    securityMail(linked, publicUrl),
  ];
}

for (const text of hostile) {
  test(`a mail does not link what others wrote: ${JSON.stringify(text.slice(0, 30))}`, () => {
    for (const mail of mailsWith(text)) {
      const shown = Object.values(mail).join('\n');
      assert.doesNotMatch(shown, /evil[.\ufe52\uff0e\u3002]e|[.@/]evil|[\u202e\r]/i);
      assert.doesNotMatch(shown, /\/\/(?!videos)|\\\\/);
      assert.ok(mail.text.length < 1000, `${mail.text.length} characters`);
      assert.match(mail.text, /https:\/\/videos\.example\.com/);
    }
  });
}

test('a notice says when no credits are left at all', () => {
  const detail = { available: 0, threshold: 2 };
  const { message } = noticeText({ kind: 'low_balance', ...ofAccount, detail }, 'Acme Studio');
  assert.match(message, /^Acme Studio has no credits left\. New tasks are rejected until/);
});

test('a mail still says which account, key and receiver it is about', () => {
  const [balance, , breaker, webhook, key] = noticesWith('Laptop').map(
    (notice) => noticeText(notice, 'Acme Studio').message,
  );
  assert.match(balance!, /^Acme Studio had 1 credit left/);
  assert.match(breaker!, /^Laptop failed several times .* Last error: “Laptop”$/);
  assert.match(webhook!, /webhooks to confirm\.\u2060evil\.\u2060example failed/);
  assert.match(key!, /^The API key “Laptop” of Acme Studio has reached its cap/);
});
