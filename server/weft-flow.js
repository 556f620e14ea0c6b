#!/usr/bin/env node
import { launch } from './launch.js';

// The program of the npm package: `weft`, and the server where no command is given.
launch(async () => {
  if (process.argv.length > 2) {
    const { main } = await import('./admin/cli/weft.ts');
    return { main: (args) => main(args, () => import('./main.ts')) };
  }
  const { loadLightly } = await import('./base/process/light-start.js');
  return loadLightly(() => import('./first-start.ts'));
});
