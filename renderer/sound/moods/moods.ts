/** Every mood and its plan. */
import type { Mood } from '../sound.ts';
import { epic, joyful } from './bright.ts';
import { calm, dreamy } from './gentle.ts';
import type { MoodPlan } from './plan.ts';
import { dark, tense } from './shadow.ts';

export const moodPlans: Record<Mood, MoodPlan> = { calm, joyful, epic, dark, dreamy, tense };
