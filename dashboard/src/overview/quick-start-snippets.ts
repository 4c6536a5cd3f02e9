/** Programs that create a task and wait for its video, in five languages. */
import type { Snippet } from '../components/code-tabs.tsx';

const prompt = 'A lighthouse on misty cliffs at sunrise, slow dolly in over a calm sea';

export function quickStartSnippets(base: string): readonly Snippet[] {
  return [
    { name: 'cURL', language: 'bash', code: curl(base) },
    { name: 'TypeScript', language: 'typescript', code: typescript(base) },
    { name: 'Python', language: 'python', code: python(base) },
    { name: 'CLI', language: 'bash', code: commandLine(base) },
    { name: 'AI SDK', language: 'typescript', code: aiSdk(base) },
  ];
}

const curl = (base: string): string => `TASK_ID=$(curl -s ${base}/v1/videos/generations \\
  -H "Authorization: Bearer $VIDGEN_KEY" -H "Content-Type: application/json" \\
  -d '{"model": "vidgen-2-5", "input": {"prompt": "${prompt}"}}' \\
  | grep -o 'task_[A-Za-z0-9_-]*')

curl "${base}/v1/tasks/$TASK_ID?wait=60" -H "Authorization: Bearer $VIDGEN_KEY"`;

const commandLine = (base: string): string => `curl -fsSO ${base}/vidgen.mjs

node vidgen.mjs create --wait -o video.mp4 \\
  --prompt "${prompt}"`;

const aiSdk = (base: string): string => `// Once: npm install ai
// and:  curl -fsSO ${base}/vidgen-ai-sdk.mjs
import { writeFile } from 'node:fs/promises';
import { experimental_generateVideo as generateVideo } from 'ai';
import { vidgen } from './vidgen-ai-sdk.mjs';

const { video } = await generateVideo({
  model: vidgen.video('vidgen-2-5'),
  prompt: '${prompt}',
});
await writeFile('video.mp4', video.uint8Array);`;

const typescript = (base: string): string => `const base = '${base}/v1';
const headers = {
  authorization: \`Bearer \${process.env.VIDGEN_KEY}\`,
  'content-type': 'application/json',
};

const created = await fetch(\`\${base}/videos/generations\`, {
  method: 'POST',
  headers,
  body: JSON.stringify({
    model: 'vidgen-2-5',
    input: { prompt: '${prompt}' },
  }),
});
const { taskId } = await created.json();

let task = { status: 'queued', data: undefined };
while (task.status === 'queued' || task.status === 'generating') {
  task = await (await fetch(\`\${base}/tasks/\${taskId}?wait=60\`, { headers })).json();
}
console.log(task.data?.results[0] ?? task);`;

const python = (base: string): string => `import os, requests

base = "${base}/v1"
headers = {"Authorization": f"Bearer {os.environ['VIDGEN_KEY']}"}

created = requests.post(f"{base}/videos/generations", headers=headers, json={
    "model": "vidgen-2-5",
    "input": {"prompt": "${prompt}"},
})
task_id = created.json()["taskId"]

task = {"status": "queued"}
while task["status"] in ("queued", "generating"):
    task = requests.get(f"{base}/tasks/{task_id}", headers=headers, params={"wait": 60}).json()
print(task["data"]["results"][0] if task["status"] == "completed" else task)`;
