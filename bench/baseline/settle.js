// Preloaded into a measured server (with --expose-gc): on a message it collects garbage and tells what is left.
process.on('message', async (message) => {
  if (message !== 'settle') return;
  for (let i = 0; i < 3; i++) {
    globalThis.gc();
    await new Promise((resolve) => setImmediate(resolve));
  }
  process.send(process.memoryUsage());
});
process.channel?.unref();
