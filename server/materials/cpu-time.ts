/** The processor time of another process, to tell a slow file from a slow machine. */
import { readFileSync } from 'node:fs';

/** Linux reports times in hundredths of a second on every supported processor. */
const tickMs = 10;

/** Returns null where the platform does not tell, or the process is gone. */
export function cpuMsOf(pid: number | undefined): number | null {
  if (process.platform !== 'linux' || pid === undefined) return null;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program is in parentheses and may contain spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * tickMs;
  } catch {
    return null;
  }
}
