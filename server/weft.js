#!/usr/bin/env node
import { launch } from './launch.js';

launch(() => import('./cli/weft.ts'));
