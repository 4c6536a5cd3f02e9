/**
 * Imported first by programs that the service runs. Ctrl-C in a terminal, and some supervisors,
 * signal every process at once; the service then waits for work in progress and kills what is
 * left.
 */
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
