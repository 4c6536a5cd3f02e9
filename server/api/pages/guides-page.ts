/**
 * Renders guides as HTML without scripts: light and dark, for phones too. Every heading has a link,
 * and wide tables and code scroll on their own.
 */
import { Marked, type Tokens } from 'marked';

export type Guide = {
  readonly name: string;
  readonly title: string;
  /** The first paragraph. */
  readonly summary: string;
  readonly markdown: string;
};

const style = `
  :root { color-scheme: light dark; --ink: #14213d; --dim: #5b6472; --paper: #fbfaf7;
    --line: #d9d5cb; --wash: #f1efe8; --accent: #1d4fa8; }
  @media (prefers-color-scheme: dark) {
    :root { --ink: #eef0f4; --dim: #9aa3b2; --paper: #10141c; --line: #2a3140;
      --wash: #181e29; --accent: #8db4ff; }
  }
  * { box-sizing: border-box; }
  html { scroll-padding-top: 1rem; }
  body { margin: 0; background: var(--paper); color: var(--ink);
    font: 16px/1.65 system-ui, -apple-system, 'Segoe UI', sans-serif; }
  .skip { position: absolute; left: -99rem; }
  .skip:focus { left: 1rem; top: 0.5rem; }
  header { border-bottom: 1px solid var(--line); }
  header nav { max-width: 66rem; margin: 0 auto; padding: 0.9rem 1.25rem;
    display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; }
  header a { color: var(--dim); text-decoration: none; padding: 0.25rem 0; }
  header a:first-child { color: var(--ink); font-weight: 650; }
  .columns { max-width: 66rem; margin: 0 auto; padding: 2.5rem 1.25rem 5rem;
    display: grid; grid-template-columns: 13rem minmax(0, 1fr); gap: 3rem; }
  .columns > main:only-child { grid-column: 1 / -1; max-width: 46rem; }
  aside { font-size: 0.9rem; line-height: 1.4; }
  aside ul { list-style: none; margin: 0 0 1.75rem; padding: 0; }
  aside li { margin: 0; } aside a { display: block; padding: 0.3rem 0; text-decoration: none; }
  aside a[aria-current] { font-weight: 650; color: var(--ink); }
  aside p { margin: 0 0 0.25rem; color: var(--dim); font-size: 0.8rem; }
  aside .contents { position: sticky; top: 1.5rem; }
  h1 { font-size: 2rem; line-height: 1.2; letter-spacing: -0.02em; margin: 0 0 0.75rem; }
  h1 + p { color: var(--dim); font-size: 1.1rem; margin-top: 0; }
  h2 { font-size: 1.3rem; letter-spacing: -0.01em; margin: 2.75rem 0 0.75rem; }
  h3 { font-size: 1rem; margin: 2rem 0 0.5rem; }
  h2 a, h3 a { color: inherit; text-decoration: none; }
  h2 a:hover, h3 a:hover { text-decoration: underline; }
  a { color: var(--accent); text-underline-offset: 3px; overflow-wrap: anywhere; }
  :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
  pre, .table { background: var(--wash); border: 1px solid var(--line); border-radius: 8px;
    overflow-x: auto; margin: 1rem 0; }
  pre { padding: 1rem; line-height: 1.5; }
  code { font: 0.86em/1.5 ui-monospace, 'SF Mono', Menlo, Consolas, monospace;
    overflow-wrap: break-word; }
  pre code { overflow-wrap: normal; }
  :not(pre) > code { background: var(--wash); border-radius: 4px; padding: 0.1em 0.3em; }
  table { border-collapse: collapse; width: 100%; font-size: 0.92rem; }
  th, td { text-align: left; vertical-align: top; padding: 0.5rem 0.9rem;
    border-top: 1px solid var(--line); }
  .table code { background: none; padding: 0; }
  tr:first-child > * { border-top: 0; } tbody:not(:first-child) > tr > td {
    border-top: 1px solid var(--line); }
  thead th { color: var(--dim); font-weight: 500; }
  ul, ol { padding-left: 1.3rem; } li { margin: 0.3rem 0; }
  dl { margin: 2rem 0; } dt { margin-top: 1.5rem; font-weight: 650; font-size: 1.1rem; }
  dd { margin: 0.15rem 0 0; color: var(--dim); }
  @media (max-width: 48rem) {
    .columns { grid-template-columns: minmax(0, 1fr); gap: 0; padding-top: 1.75rem; }
    aside .contents { position: static; border-bottom: 1px solid var(--line);
      margin-bottom: 1.75rem; }
    aside .guides { display: none; }
    aside ul { display: flex; flex-wrap: wrap; gap: 0 1.25rem; margin-bottom: 0.75rem; }
    h1 { font-size: 1.7rem; }
    td:nth-child(n + 2) { min-width: 9rem; }
  }`;

export function guidePage(guide: Guide, guides: readonly Guide[]): string {
  const { html, contents } = render(guide.markdown);
  const others = guides.map(({ name, title }) => {
    const current = name === guide.name ? ' aria-current="page"' : '';
    return `<li><a href="${name}"${current}>${escapeHtml(title)}</a></li>`;
  });
  const parts = contents.map(({ id, title }) => `<li><a href="#${id}">${title}</a></li>`);
  return document({
    title: guide.title,
    rootPath: '../',
    body: `<aside><div class="contents">
<nav class="guides" aria-label="Guides"><p>Guides</p><ul>${others.join('')}</ul></nav>
<nav aria-label="On this page"><p>On this page</p><ul>${parts.join('')}</ul></nav>
</div></aside>
<main id="main">${html}</main>`,
  });
}

export function guidesPage(guides: readonly Guide[]): string {
  const list = guides.map(({ name, title, summary }) => {
    const line = new Marked().parseInline(summary, { async: false });
    return `<dt><a href="guides/${name}">${escapeHtml(title)}</a></dt><dd>${line}</dd>`;
  });
  return document({
    title: 'Guides',
    rootPath: '',
    body: `<main id="main"><h1>Guides</h1>
<p>From a first video to an installation that others rely on.</p>
<dl>${list.join('')}</dl></main>`,
  });
}

/**
 * `rootPath` is relative, so that pages work below a path prefix (`https://host/vidgen/guides`).
 */
function document({
  title,
  rootPath,
  body,
}: {
  title: string;
  rootPath: string;
  body: string;
}): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)} · vidgen</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,"><style>${style}</style></head>
<body><a class="skip" href="#main">Skip to the text</a>
<header><nav aria-label="Service">
<a href="${rootPath || './'}">vidgen</a><a href="${rootPath}guides">Guides</a>
<a href="${rootPath}docs">Reference</a><a href="${rootPath}dashboard">Dashboard</a></nav></header>
<div class="columns">${body}</div></body></html>
`;
}

type Contents = { readonly id: string; readonly title: string }[];

function render(markdown: string): { html: string; contents: Contents } {
  const contents: Contents = [];
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }: Tokens.Heading): string {
        const title = this.parser.parseInline(tokens);
        if (depth === 1) return `<h1>${title}</h1>\n`;
        const id = slugOf(this.parser.parseInline(tokens, this.parser.textRenderer));
        if (depth === 2) contents.push({ id, title });
        return `<h${depth} id="${id}"><a href="#${id}">${title}</a></h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link): string {
        const leads = href.replace(/^([a-z-]+)\.md(?=#|$)/, '$1');
        return `<a href="${escapeHtml(leads)}">${this.parser.parseInline(tokens)}</a>`;
      },
      // Focusable, so that code wider than the screen can be scrolled by keyboard.
      code({ text, lang }: Tokens.Code): string {
        const label = lang ? ` aria-label="${escapeHtml(lang)}"` : '';
        return `<pre tabindex="0" role="group"${label}><code>${escapeHtml(text)}</code></pre>\n`;
      },
      html: ({ text }: Tokens.HTML | Tokens.Tag): string => escapeHtml(text),
    },
  });
  const html = (marked.parse(markdown, { async: false }) as string)
    .replaceAll(
      '<table>',
      '<div class="table" tabindex="0" role="group" aria-label="Table"><table>',
    )
    .replaceAll('</table>', '</table></div>')
    // Empty header cells label nothing: an empty header row is removed, a corner becomes a cell.
    .replace(/<thead>\s*<tr>\s*(<th><\/th>\s*)+<\/tr>\s*<\/thead>/g, '')
    .replaceAll('<th></th>', '<td></td>');
  return { html, contents };
}

const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/&#?\w+;/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`);
