/** A worker that a file has taken over: it answers with a line that never ends. */
process.stdout.write('{"ready":true}\n');
process.stdin.once('data', () => {
  const flood = () => {
    while (process.stdout.write('x'.repeat(1024)));
    process.stdout.once('drain', flood);
  };
  flood();
});
