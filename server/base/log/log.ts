import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from '../config/config.ts';
import { redactValue } from '../secrets/redact-value.ts';
import type { Redactor } from '../secrets/redactor.ts';

/**
 * The server's log: one JSON object a line, or lines for people, on standard output. It never contains bodies or
 * headers; secrets in an error's text are masked.
 */
export function createLog(
  config: Pick<Config, 'logLevel' | 'logFormat' | 'process'>,
  out: NodeJS.WritableStream = process.stdout,
  redactor?: Redactor,
): Logger {
  const plain: DestinationStream = { write: (line) => void out.write(line) };
  const lines = config.logFormat === 'pretty' ? prettyStream(out) : plain;
  const destination = redactor === undefined ? lines : redacted(lines, redactor);
  const base = config.process === undefined ? null : { process: config.process.number };
  return pino({ level: config.logLevel, base, timestamp: pino.stdTimeFunctions.isoTime }, destination);
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

/** Turns pino's JSON lines into lines for people: time, level, message, the other fields, and a stack if there is one. */
function prettyStream(out: NodeJS.WritableStream): DestinationStream {
  return { write: (line) => void out.write(prettyLine(line)) };
}

interface LogLine {
  level: number;
  time: string;
  msg?: string;
  err?: { message?: string; stack?: string };
  [field: string]: unknown;
}

function prettyLine(line: string): string {
  const { level, time, msg, err, ...fields } = JSON.parse(line) as LogLine;
  const label = (pino.levels.labels[level] ?? String(level)).toUpperCase().padEnd(5);
  const rest = Object.entries(fields).map(([name, value]) => `${name}=${shown(value)}`);
  const cause = err === undefined ? [] : [`\n${(err.stack ?? err.message ?? '').replaceAll(/^/gm, '    ')}`];
  return `${[time.slice(11, 19), label, msg ?? '', ...rest].join(' ').trimEnd()}${cause.join('')}\n`;
}

function shown(value: unknown): string {
  return typeof value === 'string' && /^[^\s"]+$/.test(value) ? value : JSON.stringify(value);
}
