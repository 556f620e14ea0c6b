import v8 from 'v8';
import { launch } from './launch.js';

// Until main.ts takes it back: the garbage of loading must not make the young generation large for ever
// (docs/decisions/0008-heap-growth.md).
v8.setFlagsFromString('--semi-space-growth-factor=1');
launch(() => import('./main.ts'));
