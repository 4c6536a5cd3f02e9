/** Admin API: what is right and wrong with the installation, and what to do about it. */
import { z } from 'zod';

const areas = [
  ...(['settings', 'database', 'storage', 'clock', 'disk', 'providers', 'public URL'] as const),
  ...(['preview', 'process', 'files'] as const),
] as const;

export const Finding = z
  .object({
    area: z.enum(areas),
    level: z.enum(['ok', 'warning', 'error']),
    message: z.string().describe('Never has a secret.'),
    remedy: z.string().nullable().describe('What to do; null if nothing.'),
  })
  .meta({ id: 'Finding' });
export type Finding = z.infer<typeof Finding>;

export const DoctorResponse = z
  .object({ findings: z.array(Finding).describe('In the order of the checks.') })
  .meta({ id: 'Doctor' });
export type DoctorResponse = z.infer<typeof DoctorResponse>;
