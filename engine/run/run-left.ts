import { WeftError } from '../base/errors.ts';

/** The reason of the signals of a run that continues elsewhere: its parts end without a trace. */
export const RUN_LEFT: WeftError = new WeftError('run_cancelled', 'The run continues elsewhere.');
