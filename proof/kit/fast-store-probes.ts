/** Preloaded into a service: what it does every ten seconds, it does every 20 ms. */
const startInterval = globalThis.setInterval;
globalThis.setInterval = ((work: () => void, ms?: number) =>
  startInterval(work, ms === 10_000 ? 20 : ms)) as typeof setInterval;
