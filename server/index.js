import { launch } from './launch.js';

launch(() => import('./main.ts'));
