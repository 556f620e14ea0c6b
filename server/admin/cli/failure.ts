import { CommanderError } from 'commander';
import { ConfigError } from '../../base/config/read-config.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { StartError } from '../../base/errors/start-error.ts';
import { type ExitCode, type Io, UsageError } from './io.ts';

/** Prints an error of a command, and returns its exit code; a bug is rethrown. */
export function failure(error: unknown, io: Io): ExitCode {
  // Commander has already printed its message.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof UsageError || error instanceof ConfigError) {
    io.stderr.write(`error: ${error.message}\n`);
    return 2;
  }
  if (error instanceof StartError || error instanceof ServiceError) {
    io.stderr.write(`error: ${error.message}\n`);
    return 1;
  }
  throw error;
}
