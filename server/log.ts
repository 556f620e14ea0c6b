import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from './config.ts';
import { prettyStream } from './log-pretty.ts';

/** The server's log: one JSON object a line, or lines for people, on standard output. Never bodies, headers or secrets. */
export function createLog(
  config: Pick<Config, 'logLevel' | 'logFormat'>,
  out: NodeJS.WritableStream = process.stdout,
): Logger {
  const lines: DestinationStream = { write: (line) => void out.write(line) };
  const destination = config.logFormat === 'pretty' ? prettyStream(out) : lines;
  return pino({ level: config.logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
}
