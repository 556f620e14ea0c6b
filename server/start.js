import v8 from 'v8';
import { launch } from './launch.js';

// See index.js.
v8.setFlagsFromString('--semi-space-growth-factor=1');
launch(() => import('./start.ts'));
