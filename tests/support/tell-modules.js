// Preloaded into a server: on SIGUSR2 it writes the addresses of the modules that its main thread has loaded, and Node's own.
import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  const seen = new Set();
  registerHooks({
    load(url, context, next) {
      if (!url.startsWith('node:')) seen.add(url);
      return next(url, context);
    },
  });
  process.on('SIGUSR2', () => {
    const told = { files: [...seen], builtIn: process.moduleLoadList };
    writeFileSync(process.env.TELL_MODULES_TO, JSON.stringify(told));
  });
}
