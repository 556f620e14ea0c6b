import type { Plan } from '../compile/compile.ts';
import type { Host } from '../host.ts';
import type { Run, StartOptions } from './types.ts';

/** Starts a run. A flow of pure nodes is at its end when this returns. */
export declare function start(plan: Plan, options: StartOptions, host: Host): Run;
