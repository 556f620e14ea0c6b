/**
 * The entry point `#engine/workbench`: what is done with flows besides serving them, apart so that a server that only
 * serves does not load it: operators of users, flows in code, running a part, replaying a run.
 */
export { foreignOperator } from './foreign/foreign.ts';
export { limitedOperator } from './foreign/limited.ts';
export { flow, isCodeFlow } from './code-first/flow.ts';
export { compileOver } from './expr/index.ts';
export { foreignConstructs } from './expr/foreign-constructs.ts';
export { decide, unaskedWrites } from './partial/decide.ts';
export { earlierOutputs } from './partial/earlier.ts';
export { isLoop, type OneRound, stepsAround } from './partial/inside.ts';
export { withGiven } from './partial/substitute.ts';
export { replayRun } from './replay/replaying.ts';
