import type { ElkNode } from 'elkjs/lib/elk-api.js';
import { layeredLayout } from './layered-layout.ts';

addEventListener('message', ({ data }: MessageEvent<ElkNode>) => postMessage(layeredLayout(data)));
