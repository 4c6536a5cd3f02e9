/** Turns a User-Agent header into a readable name, such as "Firefox on Linux". */
const browsers: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\bEdg\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\//, 'Firefox'],
  [/\b(HeadlessChrome|Chromium|Chrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const systems: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
];

export function browserOf(agent: string): string {
  const match = (patterns: typeof browsers) =>
    patterns.find(([pattern]) => pattern.test(agent))?.[1];
  const [browser, system] = [match(browsers), match(systems)];
  if (browser === undefined) return agent.slice(0, 40) || 'Unknown browser';
  return system === undefined ? browser : `${browser} on ${system}`;
}
