/**
 * A request as programs that run unchanged. A prompt arrives exactly as it was written, whatever it
 * contains. The key is read from an environment variable.
 */
import type { CreateGenerationRequest } from '@vidgen/contract/create-generation.ts';
import type { Snippet } from '../components/highlight.ts';

export type SnippetName = 'cURL' | 'TypeScript' | 'Python';

type GenerationSnippet = Snippet & { readonly name: SnippetName };

export function snippetsOf(
  request: CreateGenerationRequest,
  { serviceUrl }: { readonly serviceUrl: string },
): GenerationSnippet[] {
  return [
    { name: 'cURL', language: 'bash', code: curlOf(request, serviceUrl) },
    { name: 'TypeScript', language: 'typescript', code: typescriptOf(request, serviceUrl) },
    { name: 'Python', language: 'python', code: pythonOf(request, serviceUrl) },
  ];
}

/** Quotes for a POSIX shell, where only the single quote is special within single quotes. */
const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

export function curlOf(request: CreateGenerationRequest, serviceUrl: string): string {
  const body = shellQuoted(JSON.stringify(request, null, 2));
  return `curl ${shellQuoted(`${serviceUrl}/v1/videos/generations`)} \\
  -H "Authorization: Bearer $VIDGEN_KEY" \\
  -H 'Content-Type: application/json' \\
  -d ${body}`;
}

function typescriptOf(request: CreateGenerationRequest, serviceUrl: string): string {
  return `const service = ${JSON.stringify(serviceUrl)};
const headers = {
  Authorization: \`Bearer \${process.env.VIDGEN_KEY}\`,
  'Content-Type': 'application/json',
};

const created = await fetch(\`\${service}/v1/videos/generations\`, {
  method: 'POST',
  headers,
  body: JSON.stringify(${literal(request, { syntax: javascriptSyntax, depth: 1 })}),
});
if (!created.ok) throw new Error(await created.text());
const { taskId } = await created.json();

let task;
do {
  await new Promise((resolve) => setTimeout(resolve, 10_000));
  const response = await fetch(\`\${service}/v1/tasks/\${taskId}\`, { headers });
  task = await response.json();
} while (task.status === 'queued' || task.status === 'generating');

console.log(task.status === 'completed' ? task.data.results[0] : task.failed_reason);
`;
}

function pythonOf(request: CreateGenerationRequest, serviceUrl: string): string {
  return `import json, os, time
from urllib.request import Request, urlopen

service = ${JSON.stringify(serviceUrl)}
headers = {
    "Authorization": f"Bearer {os.environ['VIDGEN_KEY']}",
    "Content-Type": "application/json",
}


def ask(path, body=None):
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(service + path, data=data, headers=headers)) as response:
        return json.load(response)


created = ask("/v1/videos/generations", ${literal(request, { syntax: pythonSyntax, depth: 0 })})

while True:
    time.sleep(10)
    task = ask("/v1/tasks/" + created["taskId"])
    if task["status"] in ("completed", "failed"):
        break

print(task["data"]["results"][0] if task["status"] == "completed" else task["failed_reason"])
`;
}

/** How a language's literals differ from JSON. */
type LiteralSyntax = {
  readonly indent: number;
  readonly key: (name: string) => string;
  readonly boolean: (value: boolean) => string;
};

const javascriptSyntax: LiteralSyntax = {
  indent: 2,
  key: (name) => (/^[a-z_$][\w$]*$/i.test(name) ? name : JSON.stringify(name)),
  boolean: String,
};
const pythonSyntax: LiteralSyntax = {
  indent: 4,
  key: (name) => JSON.stringify(name),
  boolean: (value) => (value ? 'True' : 'False'),
};

/**
 * Writes a value as a literal. JSON strings are valid in both languages: every escape that
 * JSON.stringify produces has the same meaning there.
 */
function literal(
  value: unknown,
  style: { readonly syntax: LiteralSyntax; readonly depth: number },
): string {
  const { syntax, depth } = style;
  if (typeof value === 'boolean') return syntax.boolean(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = { syntax, depth: depth + 1 };
  const items = Array.isArray(value)
    ? value.map((item) => literal(item, inner))
    : Object.entries(value)
        .filter(([, item]) => item !== undefined)
        .map(([name, item]) => `${syntax.key(name)}: ${literal(item, inner)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const pad = ' '.repeat(syntax.indent * (depth + 1));
  const lines = items.map((item) => `${pad}${item},\n`).join('');
  return `${open}\n${lines}${' '.repeat(syntax.indent * depth)}${close}`;
}
