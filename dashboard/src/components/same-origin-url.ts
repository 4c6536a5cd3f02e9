/**
 * Rewrites URLs of files that the service serves to the origin of the page. The page may be open
 * under another host than the public URL, and its policy allows only its own origin.
 */
import { servicePath } from '../api/base-path.ts';

const servedFolders = ['/results/', '/uploads/'];

/** Returns null for URLs on other hosts. */
export function sameOriginUrl(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { origin, pathname, search } = new URL(url);
  if (origin === location.origin) return `${pathname}${search}`;
  const folder = servedFolders.find((one) => pathname.includes(one));
  if (folder === undefined || !/[?&]signature=/.test(search)) return null;
  return `${servicePath}${pathname.slice(pathname.indexOf(folder))}${search}`;
}
