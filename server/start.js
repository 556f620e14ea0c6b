import { launch } from './launch.js';

launch(async () => {
  const { loadLightly } = await import('./base/process/light-start.js');
  return loadLightly(() => import('./start.ts'));
});
