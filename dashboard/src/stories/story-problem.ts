/** Why a story cannot be downloaded as one file, with the numbers of the shots. */
import type { StoryResponse } from '@vidgen/contract/admin-tasks.ts';

export type StoryShot = StoryResponse['shots'][number];
type ShotState = 'ready' | 'running' | 'failed' | 'expired' | 'deleted';

export function shotState({ task }: StoryShot, nowMs: number): ShotState {
  if (task === null) return 'deleted';
  if (task.status === 'failed') return 'failed';
  if (task.status !== 'completed') return 'running';
  const isKept = (task.data?.results.length ?? 0) > 0;
  return isKept && Date.parse(task.data!.video_expires_at) > nowMs ? 'ready' : 'expired';
}

const reasons = {
  deleted: ['was deleted', 'were deleted'],
  expired: ['has expired', 'have expired'],
  failed: ['failed', 'failed'],
  running: ['is still generating', 'are still generating'],
} as const;

/** Null if the story can be downloaded. */
export function storyProblem(shots: readonly StoryShot[], nowMs: number): string | null {
  const states = shots.map((shot) => shotState(shot, nowMs));
  const texts = (['deleted', 'expired', 'failed', 'running'] as const).flatMap((state) => {
    const numbers = states.flatMap((one, at) => (one === state ? [at + 1] : []));
    if (numbers.length === 0) return [];
    const [one, many] = reasons[state];
    return numbers.length === 1
      ? [`Shot ${numbers[0]} ${one}.`]
      : [`Shots ${numbers.slice(0, -1).join(', ')} and ${numbers.at(-1)} ${many}.`];
  });
  return texts.length === 0 ? null : texts.join(' ');
}
