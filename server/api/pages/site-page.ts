/**
 * The frame of the guides, the reference and the page that verifies files: the header of the
 * dashboard, its theme and its fonts. Everything is served from here; the content security policy
 * allows nothing else.
 */
import { escapeHtml } from './highlight-code.ts';
import { loadAssetUrls } from './site-assets.ts';

type Section = 'guides' | 'reference' | 'verify';

type SitePage = {
  readonly title: string;
  readonly section: Section;
  /** Relative, so that pages work below a path prefix (`https://host/vidgen/guides`). */
  readonly rootPath: string;
  readonly body: string;
  readonly styles?: readonly string[];
  /** URLs of scripts that run before the site's, relative to the root. */
  readonly scripts?: readonly string[];
  /** HTML before the theme menu. */
  readonly headerEnd?: string;
  /** The ID of the element that the menu button of small screens opens. */
  readonly menuId?: string;
};

const sections = [
  { path: 'dashboard', title: 'Dashboard', section: null },
  { path: 'guides', title: 'Guides', section: 'guides' },
  { path: 'docs', title: 'API reference', section: 'reference' },
] as const;

export async function sitePage(page: SitePage): Promise<string> {
  const { title, section, rootPath, body, styles = [], scripts = [] } = page;
  const assetUrl = await loadAssetUrls();
  const url = (name: string) => `${rootPath}${assetUrl(name)}`;
  const head = [
    ...['site.css', ...styles].map((name) => `<link rel="stylesheet" href="${url(name)}">`),
    `<script src="${url('theme.js')}"></script>`,
    ...scripts.map((path) => `<script src="${rootPath}${path}" defer></script>`),
    `<script type="module" src="${url('site.js')}"></script>`,
  ];
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<title>${escapeHtml(title)} · vidgen</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="${rootPath}dashboard/favicon.svg" type="image/svg+xml">
${head.join('\n')}</head>
<body data-root="${rootPath || './'}">${section === 'guides' ? skipLink : ''}
${header(page)}
${body}</body></html>
`;
}

export function siteLinks({ section, rootPath }: Pick<SitePage, 'section' | 'rootPath'>): string {
  return sections
    .map(({ path, title, section: own }) => {
      const current = own === section ? ' aria-current="page"' : '';
      return `<a href="${rootPath}${path}"${current}>${title}</a>`;
    })
    .join('');
}

const skipLink = '<a class="skip" href="#main">Skip to content</a>';

const logo = `<svg width="22" height="22" viewBox="0 0 32 32" aria-hidden="true">
<rect width="32" height="32" rx="8" fill="#5b5bd6"/><path d="M9 9.5 16 23l7-13.5" fill="none"
stroke="#fff" stroke-width="3.4" stroke-linecap="round" stroke-linejoin="round"/>
<circle cx="16" cy="9.8" r="2.1" fill="#fff"/></svg>`;

const menuIcon = `<svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true" fill="none"
stroke="currentColor" stroke-width="1.6" stroke-linecap="round">
<path d="M3 5h12M3 9h12M3 13h12"/></svg>`;

const themeIcon = `<svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
<circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" stroke-width="1.4"/>
<path d="M8 2a6 6 0 0 1 0 12z" fill="currentColor"/></svg>`;

function header({ section, rootPath, headerEnd = '', menuId = 'sites' }: SitePage): string {
  const links = siteLinks({ section, rootPath });
  return `<header class="site-header">
<button type="button" class="menu" popovertarget="${menuId}" aria-label="Menu">${menuIcon}</button>
<a class="brand" href="${rootPath}dashboard">${logo}vidgen</a>
<nav aria-label="Site">${links}</nav>
<div class="end">${headerEnd}
<button type="button" class="theme" popovertarget="theme-menu" aria-label="Theme">
${themeIcon}</button>
<a class="sign-in" href="${rootPath}dashboard">Sign in</a></div>
</header>
<div id="theme-menu" class="popover theme-popover" popover>
<button type="button" value="light">Light</button><button type="button" value="dark">Dark</button>
<button type="button" value="auto">System</button></div>`;
}

/**
 * Scalar sets inline styles; the guides allow none. `connectOrigin` is where requests that are
 * tried out on the page go: the public URL, which may differ from the URL of the page.
 */
export function siteHeaders({
  connectOrigin = '',
  inlineStyles = false,
  hasForm = false,
}: {
  readonly connectOrigin?: string;
  readonly inlineStyles?: boolean;
  /** A search of the guides. */
  readonly hasForm?: boolean;
} = {}): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      `style-src 'self'${inlineStyles ? " 'unsafe-inline'" : ''}`,
      "img-src 'self' data: blob:",
      "font-src 'self' data:",
      `connect-src 'self'${connectOrigin === '' ? '' : ` ${connectOrigin}`}`,
      "base-uri 'none'",
      `form-action '${hasForm ? 'self' : 'none'}'`,
      "frame-ancestors 'none'",
    ].join('; '),
    'cache-control': 'no-cache',
  };
}
