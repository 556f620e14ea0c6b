import { WeftError } from '#engine';

export function notAllowed(why: string): WeftError {
  return new WeftError('sql_not_allowed', `The statement was not sent to the database: ${why}.`);
}

export function noStatement(message: string): WeftError {
  return new WeftError('sql_failed', `The statement cannot be read: ${message}`);
}
