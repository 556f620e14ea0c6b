import { launch } from './launch.js';

launch(() => import('./start.ts'));
