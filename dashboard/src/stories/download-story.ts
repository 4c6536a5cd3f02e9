/** Downloads a story: its shots, fetched one after the other and joined to one file. */
import type { StoryResponse } from '@vidgen/contract/admin-tasks.ts';
import { get } from '../api/client.ts';
import { fetchFile } from '../api/fetch-file.ts';
import { serviceNowMs } from '../api/service-clock.ts';
import { saveFile } from '../components/save-file.ts';
import { storyProblem } from './story-problem.ts';

/** The shots and the joined file are in memory at once. */
const bytesMax = 512 * 1024 * 1024;

/** Throws an error with a message for the person. */
export async function downloadStory(
  taskId: string,
  onProgress: (shot: number) => void,
): Promise<void> {
  // Read again, because a shot may have expired since the page was loaded.
  const { shots } = await get<StoryResponse>(`/admin/tasks/${taskId}/story`);
  const problem = storyProblem(shots, serviceNowMs());
  if (problem !== null) throw new Error(problem);
  const files: Blob[] = [];
  let bytes = 0;
  for (const [at, { task }] of shots.entries()) {
    onProgress(at + 1);
    const file = await fetchFile(task?.data?.results[0] ?? '', `shot ${at + 1}`);
    files.push(file);
    bytes += file.size;
    if (bytes > bytesMax) {
      throw new Error('The shots are too large to be joined here. Download them one by one.');
    }
  }
  const { joinShots } = await import('./join-shots.ts');
  saveFile(await joinShots(files), `story-${shots[0]?.id ?? taskId}.mp4`);
}
