import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from '../config/config.ts';
import { prettyStream } from './log-pretty.ts';
import { redactValue } from '../secrets/redact-value.ts';
import type { Redactor } from '../secrets/redactor.ts';

/**
 * The server's log: one JSON object a line, or lines for people, on standard output. It never contains bodies or
 * headers; secrets in an error's text are masked.
 */
export function createLog(
  config: Pick<Config, 'logLevel' | 'logFormat'>,
  out: NodeJS.WritableStream = process.stdout,
  redactor?: Redactor,
): Logger {
  const plain: DestinationStream = { write: (line) => void out.write(line) };
  const lines = config.logFormat === 'pretty' ? prettyStream(out) : plain;
  const destination = redactor === undefined ? lines : redacted(lines, redactor);
  return pino({ level: config.logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
}

/**
 * A line with a secret is parsed first, so that the masked line is still JSON, even if the secret looked like a part
 * of it.
 */
function redacted(lines: DestinationStream, redactor: Redactor): DestinationStream {
  return {
    write(line) {
      const isClean = !redactor.active || redactor.text(line) === line;
      lines.write(isClean ? line : `${JSON.stringify(redactValue(JSON.parse(line), redactor))}\n`);
    },
  };
}
