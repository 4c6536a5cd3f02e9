/**
 * The mails of the service, as text and HTML with the same content. What others chose goes through
 * `plainName`: a mail from this service must not carry their links.
 */
import type { AccountRole } from '@vidgen/contract/people.ts';
import type { Mail } from './smtp.ts';

type Letter = {
  readonly subject: string;
  /** Paragraphs of plain text. */
  readonly paragraphs: readonly string[];
  readonly action: { readonly label: string; readonly url: string };
  /** Paragraphs after the button, in small type. */
  readonly notes: readonly string[];
  readonly publicUrl: string;
};

const roleNames: Readonly<Record<AccountRole, string>> = {
  owner: 'an owner',
  developer: 'a developer',
  viewer: 'a viewer',
};

const day = (date: Date): string =>
  date.toLocaleDateString('en-US', { dateStyle: 'long', timeZone: 'UTC' });

type LinkMail = {
  readonly link: string;
  readonly expiresAt: Date;
  readonly publicUrl: string;
};

/** Without an account, the invitation is to administer the installation. */
export function invitationMail(
  invitation: LinkMail & {
    readonly invitedBy: string;
    readonly account: { readonly name: string; readonly role: AccountRole } | null;
  },
): Mail {
  const { invitedBy, account, link, expiresAt, publicUrl } = invitation;
  const place = account ? plainName(account.name) : 'vidgen';
  const role = account ? roleNames[account.role] : 'an administrator';
  return compose({
    subject: `You’re invited to join ${place}`,
    paragraphs: [`${plainName(invitedBy)} invited you to join ${place} as ${role}.`],
    action: { label: 'Accept invite', url: link },
    notes: [
      `The link works once and expires on ${day(expiresAt)}.`,
      'If you weren’t expecting this invite, you can ignore this email.',
    ],
    publicUrl,
  });
}

export function passwordMail({ link, expiresAt, publicUrl }: LinkMail): Mail {
  return compose({
    subject: 'Reset your password',
    paragraphs: ['Use the link below to set a new password for your vidgen login.'],
    action: { label: 'Set a new password', url: link },
    notes: [
      `The link works once and expires on ${day(expiresAt)}.`,
      'Setting a new password signs you out everywhere.',
      'If you didn’t ask for this, you can ignore this email. Your password stays the same.',
    ],
    publicUrl,
  });
}

/** In place of a link, for people of the OpenID provider. */
export function noPasswordMail(provider: string, publicUrl: string): Mail {
  const name = plainName(provider);
  return compose({
    subject: `You sign in with ${name}`,
    paragraphs: [
      'Someone asked for a new password for your vidgen login. ' +
        `You sign in with ${name}, so there is none.`,
    ],
    action: { label: 'Sign in', url: `${publicUrl}/dashboard/sign-in` },
    notes: [
      'If you can’t sign in there, ask an administrator.',
      'If you didn’t ask for this, you can ignore this email.',
    ],
    publicUrl,
  });
}

export function noticeMail(notice: {
  readonly title: string;
  readonly message: string;
  readonly action: { readonly label: string; readonly url: string };
  readonly publicUrl: string;
}): Mail {
  const { title, message, action, publicUrl } = notice;
  return compose({ subject: title, paragraphs: [message], action, notes: [], publicUrl });
}

export function testMail(publicUrl: string): Mail {
  return compose({
    subject: 'Your mail settings work',
    paragraphs: ['vidgen can send email: invites, password resets and notices will arrive.'],
    action: { label: 'Open the dashboard', url: `${publicUrl}/dashboard/operator/notices` },
    notes: [],
    publicUrl,
  });
}

export function compose({ subject, paragraphs, action, notes, publicUrl }: Letter): Mail {
  const footer = `Sent by vidgen at ${publicUrl}`;
  const text = [...paragraphs, `${action.label}:\n${action.url}`, ...notes, `-- \n${footer}`];
  const html = [
    ...paragraphs.map((line) => `<p style="margin:0 0 16px">${escapeHtml(line)}</p>`),
    `<p style="margin:24px 0">${button(action)}</p>`,
    ...notes.map((line) => `<p style="${noteStyle}">${escapeHtml(line)}</p>`),
    `<p style="${noteStyle}">${escapeHtml(footer)}</p>`,
  ];
  return { subject, text: `${text.join('\n\n')}\n`, html: page(subject, html.join('\n')) };
}

const button = ({ label, url }: Letter['action']): string =>
  `<a href="${escapeHtml(url)}" style="${buttonStyle}">${escapeHtml(label)}</a>`;

const buttonStyle =
  'background:#4f46e5;border-radius:6px;color:#ffffff;display:inline-block;font-weight:600;' +
  'padding:10px 18px;text-decoration:none';
const cardStyle =
  'background:#ffffff;border-radius:8px;color:#1a1f36;margin:0 auto;max-width:520px;' +
  'padding:32px;font:15px/1.5 -apple-system,Segoe UI,sans-serif';
const noteStyle = 'color:#596171;font-size:13px;margin:0 0 12px';

const page = (title: string, content: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>${escapeHtml(title)}</title></head>
<body style="background:#f6f9fc;margin:0;padding:24px">
<div style="${cardStyle}">
<h1 style="font-size:20px;margin:0 0 16px">${escapeHtml(title)}</h1>
${content}
</div></body></html>
`;

const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);

const nameCharactersMax = 80;

/**
 * What others chose, in our mails and notices: names of accounts, people and keys, hosts, errors of
 * an upstream. Shortens it, and removes control and direction characters and URLs, which readers
 * would take for ours. The invisible joiner after each dot, colon and at sign keeps mail programs
 * from turning `evil.example` into a link.
 */
export function plainName(name: string): string {
  const words = name
    .slice(0, 2000)
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .split(/\s+/)
    .map((word) => (/[/\\]{2}|www\P{L}/iu.test(word) ? '…' : word));
  const characters = [...words.join(' ')];
  const isLong = characters.length > nameCharactersMax;
  const short = isLong ? [...characters.slice(0, nameCharactersMax - 1), '…'] : characters;
  return short
    .join('')
    .replaceAll(/([.:@\u2024\u3002\ufe52\uff0e\uff1a\uff20\uff61])(?=\S)/g, '$1\u2060');
}
