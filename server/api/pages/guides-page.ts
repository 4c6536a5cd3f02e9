/**
 * Renders guides as HTML: a sidebar with all guides, a table of contents, a link on every heading,
 * highlighted code, and the previous and next guide. Wide tables and code scroll on their own.
 */
import { Marked, type Tokens } from 'marked';
import { escapeHtml, highlightCode } from './highlight-code.ts';
import { siteLinks, sitePage } from './site-page.ts';

export type Guide = {
  /** Below the root, such as `guides/webhooks` or `docs/providers`. */
  readonly path: string;
  readonly title: string;
  /** The heading that it is listed under. */
  readonly group: string;
  readonly summary: string;
  readonly markdown: string;
};

export async function guidePage(guide: Guide, guides: readonly Guide[]): Promise<string> {
  const { html, contents } = render(guide, guides);
  const parts = contents.map(({ id, title }) => `<li><a href="#${id}">${title}</a></li>`);
  return await sitePage({
    title: guide.title,
    section: 'guides',
    rootPath: '../',
    menuId: 'guides',
    styles: ['guides.css'],
    body: `<div class="guides-layout">
${sidebar(guides, { current: guide.path, rootPath: '../' })}
<div class="page"><main id="main" class="text">${html}
${steps(guide, guides)}</main>
<nav class="contents" aria-label="On this page"><p>On this page</p><ul>${parts.join('')}</ul></nav>
</div></div>
`,
  });
}

/** For cards, which are links themselves. */
const summaryMarked = new Marked({
  renderer: {
    link({ tokens }: Tokens.Link): string {
      return this.parser.parseInline(tokens);
    },
  },
});

/** All guides, or those parts of them that have all words of `search`. */
export async function guidesPage(guides: readonly Guide[], search: string): Promise<string> {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const main = words.length === 0 ? allGuides(guides) : foundGuides(guides, { words, search });
  return await sitePage({
    title: 'Guides',
    section: 'guides',
    rootPath: '',
    menuId: 'guides',
    styles: ['guides.css'],
    body: `<div class="guides-layout">${sidebar(guides, { current: null, rootPath: '', search })}
<div class="page"><main id="main" class="text">${main}</main></div></div>
`,
  });
}

function allGuides(guides: readonly Guide[]): string {
  const lists = groupsOf(guides).map(({ group, members }) => {
    const cards = members.map(({ path, title, summary }) => card({ href: path, title, summary }));
    return `<h2>${group}</h2><ul class="cards">${cards.join('')}</ul>`;
  });
  return `<h1>Guides</h1>
<p>Create a first video, connect your tools, and run vidgen in production.</p>
${lists.join('\n')}`;
}

type Card = { readonly href: string; readonly title: string; readonly summary: string };

function card({ href, title, summary }: Card): string {
  const line = summaryMarked.parseInline(summary, { async: false });
  return `<li><a href="${href}"><strong>${escapeHtml(title)}</strong><span>${line}</span></a></li>`;
}

const foundMax = 20;
const excerptCharacters = 160;

function foundGuides(
  guides: readonly Guide[],
  { words, search }: { readonly words: readonly string[]; readonly search: string },
): string {
  const found = guides
    .flatMap((guide) => sectionsOf(guide).map((section) => rate(guide, section, words)))
    .filter(({ rank }) => rank > 0)
    .toSorted((one, other) => other.rank - one.rank)
    .slice(0, foundMax);
  const title = `Results for “${escapeHtml(search)}”`;
  if (found.length === 0) return `<h1>${title}</h1><p>Nothing has all these words.</p>`;
  return `<h1>${title}</h1><ul class="cards">${found.map(card).join('')}</ul>`;
}

type Section = { readonly title: string | null; readonly text: string };

/** What is above the first heading, and each part below one. */
const sectionsOf = ({ markdown }: Guide): Section[] =>
  markdown.split(/^(?=#{2,3} )/m).map((part) => {
    const [, title = null] = /^#{2,3} (.+)/.exec(part) ?? [];
    return { title, text: part.replace(/^#+ .*\n/, '') };
  });

/** Words in titles count most. */
function rate(guide: Guide, { title, text }: Section, words: readonly string[]) {
  const heading = `${guide.title} ${title ?? ''}`.toLowerCase();
  const body = text.toLowerCase();
  const ranks = words.map((word) => (heading.includes(word) ? 5 : body.includes(word) ? 1 : 0));
  const isFound = ranks.every((rank) => rank > 0);
  const at = Math.max(0, body.indexOf(words.find((word) => body.includes(word)) ?? ''));
  const start = text.lastIndexOf('\n', at) + 1;
  return {
    rank: isFound ? ranks.reduce<number>((sum, rank) => sum + rank, title === null ? 1 : 0) : 0,
    href: title === null ? guide.path : `${guide.path}#${slugOf(title)}`,
    title: title === null ? guide.title : `${guide.title}: ${title.replaceAll('`', '')}`,
    summary: excerptOf(text.slice(start, start + excerptCharacters)),
  };
}

/** Whole words, without the marks of tables, lists and links, which would be cut in half. */
const excerptOf = (text: string): string => {
  const plain = text
    .replace(/[`*|[\]]|\(\S*\)?|^- /gm, '')
    .replace(/\s+/g, ' ')
    .trim();
  return `${escapeHtml(plain.slice(0, plain.lastIndexOf(' ')))} …`;
};

function groupsOf(guides: readonly Guide[]): { group: string; members: Guide[] }[] {
  return [...Map.groupBy(guides, ({ group }) => group)].map(([group, members]) => ({
    group,
    members,
  }));
}

function sidebar(
  guides: readonly Guide[],
  options: {
    readonly current: string | null;
    readonly rootPath: string;
    readonly search?: string;
  },
): string {
  const { current, rootPath, search = '' } = options;
  const lists = groupsOf(guides).map(({ group, members }) => {
    const items = members.map(({ path, title }) => {
      const mark = path === current ? ' aria-current="page"' : '';
      return `<li><a href="${rootPath}${path}"${mark}>${escapeHtml(title)}</a></li>`;
    });
    return `<p>${group}</p><ul>${items.join('')}</ul>`;
  });
  return `<aside id="guides" class="sidebar" popover aria-label="Guides">
<nav class="sites" aria-label="Pages">${siteLinks({ section: 'guides', rootPath })}<hr></nav>
<form role="search" action="${rootPath}guides"><input type="search" name="q" maxlength="100"
placeholder="Search" aria-label="Search guides" value="${escapeHtml(search)}"></form>
<nav aria-label="Guides">${lists.join('')}</nav></aside>`;
}

/** The guides before and after this one, in reading order. */
function steps({ path }: Guide, guides: readonly Guide[]): string {
  const index = guides.findIndex((guide) => guide.path === path);
  const link = (guide: Guide | undefined, { rel, label }: { rel: string; label: string }) =>
    guide === undefined
      ? ''
      : `<a rel="${rel}" href="../${guide.path}">
<small>${label}</small>${escapeHtml(guide.title)}</a>`;
  const previous = index > 0 ? guides[index - 1] : undefined;
  return `<nav class="steps" aria-label="Previous and next guide">${[
    link(previous, { rel: 'prev', label: 'Previous' }),
    link(guides[index + 1], { rel: 'next', label: 'Next' }),
  ].join('')}</nav>`;
}

type Contents = { readonly id: string; readonly title: string }[];

const languageNames: Readonly<Record<string, string>> = {
  sh: 'Shell',
  ts: 'TypeScript',
  python: 'Python',
  json: 'JSON',
  yaml: 'YAML',
};

/** A fence may name its file: ` ```ts first-video.ts `. */
function codeBlock({ text, lang = '' }: Tokens.Code): string {
  const [language = '', fileName] = lang.split(' ');
  const label = fileName ?? languageNames[language] ?? 'Code';
  // Focusable, so that code wider than the screen can be scrolled by keyboard.
  return `<figure class="code"><figcaption><span>${escapeHtml(label)}</span></figcaption>
<pre tabindex="0" role="group" aria-label="${escapeHtml(label)}"><code>${highlightCode(
    text,
    language,
  )}</code></pre></figure>\n`;
}

function render(
  { path, markdown }: Guide,
  guides: readonly Guide[],
): { html: string; contents: Contents } {
  const contents: Contents = [];
  const served = new Set(guides.map((guide) => guide.path));
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
        const leads = linkFrom(path, href, served);
        const text = this.parser.parseInline(tokens);
        return leads === null ? text : `<a href="${escapeHtml(leads)}">${text}</a>`;
      },
      code: codeBlock,
      html: ({ text }: Tokens.HTML | Tokens.Tag): string =>
        text.startsWith('<!--') ? '' : escapeHtml(text),
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

/** Where a link of a file in `docs/` leads on its page; null for files that are not served. */
function linkFrom(path: string, href: string, served: ReadonlySet<string>): string | null {
  if (/^#|^\//.test(href)) return href;
  // A URL with placeholders is no link.
  if (/^[a-z]+:/.test(href)) return URL.canParse(href) ? href : null;
  const folder = path.startsWith('guides/') ? 'docs/guides/' : 'docs/';
  const { pathname, hash } = new URL(href, `file:///${folder}`);
  const file = pathname.slice(1).replace(/\.md$/, '');
  const target = file.replace(/^docs\/(?=guides\/)/, '');
  if (served.has(target)) return `../${target}${hash}`;
  return /^docs(\/guides)?\/[^.]*$/.test(file) && !pathname.endsWith('.md') ? href : null;
}

/** As on GitHub, where the same links are followed. */
const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/&#?\w+;/g, '')
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
