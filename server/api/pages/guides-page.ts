/**
 * Renders guides as HTML: a sidebar with all guides, a table of contents, a link on every heading,
 * highlighted code, and the previous and next guide. Wide tables and code scroll on their own.
 */
import { Marked, type Tokens } from 'marked';
import { escapeHtml, highlightCode } from './highlight-code.ts';
import { siteLinks, sitePage } from './site-page.ts';

export type Guide = {
  readonly name: string;
  readonly title: string;
  /** The heading that it is listed under. */
  readonly group: string;
  /** The first paragraph. */
  readonly summary: string;
  readonly markdown: string;
};

export async function guidePage(guide: Guide, guides: readonly Guide[]): Promise<string> {
  const { html, contents } = render(guide.markdown);
  const parts = contents.map(({ id, title }) => `<li><a href="#${id}">${title}</a></li>`);
  return await sitePage({
    title: guide.title,
    section: 'guides',
    rootPath: '../',
    menuId: 'guides',
    styles: ['guides.css'],
    body: `<div class="guides-layout">
${sidebar(guides, { current: guide.name, rootPath: '../' })}
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

export async function guidesPage(guides: readonly Guide[]): Promise<string> {
  const groups = groupsOf(guides).map(({ group, members }) => {
    const cards = members.map(({ name, title, summary }) => {
      const line = summaryMarked.parseInline(summary, { async: false });
      const text = `<strong>${escapeHtml(title)}</strong><span>${line}</span>`;
      return `<li><a href="guides/${name}">${text}</a></li>`;
    });
    return `<h2>${group}</h2><ul class="cards">${cards.join('')}</ul>`;
  });
  return await sitePage({
    title: 'Guides',
    section: 'guides',
    rootPath: '',
    menuId: 'guides',
    styles: ['guides.css'],
    body: `<div class="guides-layout">${sidebar(guides, { current: null, rootPath: '' })}
<div class="page"><main id="main" class="text"><h1>Guides</h1>
<p>Create a first video, connect your tools, and run vidgen in production.</p>
${groups.join('\n')}</main></div></div>
`,
  });
}

function groupsOf(guides: readonly Guide[]): { group: string; members: Guide[] }[] {
  return [...Map.groupBy(guides, ({ group }) => group)].map(([group, members]) => ({
    group,
    members,
  }));
}

function sidebar(
  guides: readonly Guide[],
  { current, rootPath }: { readonly current: string | null; readonly rootPath: string },
): string {
  const lists = groupsOf(guides).map(({ group, members }) => {
    const items = members.map(({ name, title }) => {
      const mark = name === current ? ' aria-current="page"' : '';
      return `<li><a href="${rootPath}guides/${name}"${mark}>${escapeHtml(title)}</a></li>`;
    });
    return `<p>${group}</p><ul>${items.join('')}</ul>`;
  });
  return `<aside id="guides" class="sidebar" popover aria-label="Guides">
<nav class="sites" aria-label="Pages">${siteLinks({ section: 'guides', rootPath })}<hr></nav>
<nav aria-label="Guides">${lists.join('')}</nav></aside>`;
}

/** The guides before and after this one, in reading order. */
function steps({ name }: Guide, guides: readonly Guide[]): string {
  const index = guides.findIndex((guide) => guide.name === name);
  const link = (guide: Guide | undefined, { rel, label }: { rel: string; label: string }) =>
    guide === undefined
      ? ''
      : `<a rel="${rel}" href="${guide.name}">
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
      code: codeBlock,
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
