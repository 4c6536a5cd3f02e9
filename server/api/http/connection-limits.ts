/**
 * Limits on connections: how many, how many requests in progress on each, and how long one may
 * neither take nor send a byte. A client that never reads its responses is cut off.
 */
import type { Server } from 'node:http';
import { hasPendingBody, responsesInProgress } from './client-errors.ts';

/** Requests that one connection may have in progress; pipelining clients use a few. */
export const requestsPerConnectionMax = 32;
/** Without progress in either direction. Waiting for a handler (`?wait=`) does not count. */
const stallMsMax = 30_000;
/** Without a limit of the process, as on Windows. */
const connectionsDefault = 10_000;
/** Descriptors for everything else: the database, materials, webhooks, modules. */
const reservedDescriptors = 200;

export function limitConnections(server: Server): void {
  server.maxConnections = connectionsMax;
  // At the limit, connections between two requests make room for new ones.
  server.on('drop', () => server.closeIdleConnections());
  server.setTimeout(stallMsMax, (socket) => {
    const isHandling = responsesInProgress(socket) > 0 && !hasPendingBody(socket);
    if (!isHandling || socket.writableLength > 0) socket.destroy();
  });
}

/** Half, because a download needs a descriptor for its file too. */
export const connectionsMaxFor = (descriptors: number | null): number =>
  descriptors === null
    ? connectionsDefault
    : Math.min(
        connectionsDefault,
        Math.max(16, Math.floor((descriptors - reservedDescriptors) / 2)),
      );

/** Null if there is no limit. */
function descriptorLimit(): number | null {
  const report = process.report as NodeJS.ProcessReport & { excludeNetwork: boolean };
  // Without it, a report resolves the name of every peer.
  report.excludeNetwork = true;
  const { userLimits } = report.getReport() as {
    readonly userLimits?: { readonly open_files?: { readonly soft?: number | string } };
  };
  const limit = Number(userLimits?.open_files?.soft);
  return Number.isFinite(limit) ? limit : null;
}

/** Of this process. */
export const connectionsMax = connectionsMaxFor(descriptorLimit());
