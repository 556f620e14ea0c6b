#!/usr/bin/env node
import { launch } from './launch.js';

launch(async () => {
  const { main } = await import('./admin/cli/weft.ts');
  return { main: (args) => main(args, () => import('./main.ts')) };
});
