/**
 * Ports that an untrusted URL may use. Only a second check: services that must not be reached are
 * rejected by address first.
 */

const enginePorts = new Set([
  // Databases and search engines.
  1433, 1434, 1521, 3050, 3306, 5432, 5433, 5439, 5984, 6333, 6334, 6432, 6984, 7199, 7473, 7474,
  7687, 8086, 8123, 8529, 8983, 9042, 9142, 9160, 9200, 9300, 19530, 26257, 27017, 27018, 27019,
  28015, 28017, 29015, 33060, 50000,
  // Caches.
  6379, 6380, 11207, 11210, 11211, 16379, 26379,
  // Brokers and their coordinators.
  1883, 2181, 2888, 3888, 4222, 4369, 5671, 5672, 6222, 6650, 6651, 8161, 8222, 8883, 9092, 9093,
  9094, 15672, 25672, 61613, 61614, 61616,
  // Container engines and their coordinators.
  2375, 2376, 2377, 2379, 2380, 4243, 6443, 8500, 10250, 10255,
]);

// Shells, mail, DNS, directories and file shares, from which no upstream serves results.
const servicePorts = new Set([
  21, 22, 23, 25, 53, 69, 110, 111, 119, 135, 137, 139, 143, 161, 179, 389, 445, 465, 512, 513, 514,
  515, 548, 554, 587, 636, 873, 989, 990, 993, 995,
]);

export type UrlKind = 'callback' | 'material' | 'result';

/** Returns the rule that a port breaks, or null if it is allowed. */
export function violatedPortRule(port: number, kind: UrlKind): string | null {
  if (enginePorts.has(port)) {
    const owner = 'a database, cache, broker or container engine';
    return `must not use port ${port}, which belongs to ${owner}`;
  }
  if (port >= 1024 || port === 443) return null;
  if (kind === 'callback') return `must use port 443, or 1024 and up (got ${port})`;
  if (port === 80) return null;
  if (kind === 'result' && !servicePorts.has(port)) return null;
  return `must use port 80 or 443, or 1024 and up (got ${port})`;
}
