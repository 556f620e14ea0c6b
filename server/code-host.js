#!/usr/bin/env node
import { launch } from './launch.js';

// The code sandbox as a process of its own (docs/deploy/README.md).
launch(() => import('./integrations/sandbox/supervisor.ts'));
