/** `GET /`: where a person lands who opens the address that the start printed. */
import type { Answer, Asked, Service } from './service.ts';

const style = `
  :root { color-scheme: light dark;
    --ink: #14213d; --dim: #5b6472; --paper: #fbfaf7; --line: #d9d5cb; }
  @media (prefers-color-scheme: dark) {
    :root { --ink: #eef0f4; --dim: #9aa3b2; --paper: #10141c; --line: #2a3140; }
  }
  body { margin: 0; background: var(--paper); color: var(--ink);
    font: 16px/1.6 system-ui, -apple-system, 'Segoe UI', sans-serif; }
  main { max-width: 44rem; margin: 0 auto; padding: 4rem 1.25rem; }
  h1 { font-size: 2.2rem; letter-spacing: -0.02em; margin: 0 0 0.25rem; }
  p.lead { color: var(--dim); margin: 0 0 2.5rem; font-size: 1.1rem; }
  h2 { font-size: 1rem; margin: 2.5rem 0 0.5rem; }
  pre { background: color-mix(in srgb, var(--ink) 6%, transparent); border: 1px solid var(--line);
    border-radius: 8px; padding: 1rem; overflow-x: auto; font-size: 0.85rem; line-height: 1.5; }
  a { color: inherit; text-underline-offset: 3px; }
  ul { padding-left: 1.1rem; } li { margin: 0.35rem 0; }`;

export async function startPage({ publicUrl }: Service, _asked: Asked): Promise<Answer> {
  const base = escaped(publicUrl());
  const text = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>vidgen</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>${style}</style></head>
<body><main>
<h1>vidgen</h1>
<p class="lead">The video generation service is running here.</p>
<h2>Create a task</h2>
<pre>curl ${base}/v1/videos/generations \\
  -H "Authorization: Bearer $VIDGEN_KEY" -H "Content-Type: application/json" \\
  -d '{"model": "vidgen-2-5", "input": {"prompt": "Waves at dawn"}}'</pre>
<h2>Wait for it</h2>
<pre>curl "${base}/v1/tasks/$TASK_ID?wait=60" \\
  -H "Authorization: Bearer $VIDGEN_KEY"</pre>
<h2>Go on</h2>
<ul>
<li><a href="/docs">The reference</a>, with every field, rule and error</li>
<li><a href="/openapi.json">The OpenAPI document</a></li>
<li><a href="/readyz">Whether the installation is complete</a></li>
</ul>
</main></body></html>`;
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy':
      "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  };
  return { text, headers };
}

const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`);
