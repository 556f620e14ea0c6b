import { type DestinationStream, pino } from 'pino';

/** Turns pino's JSON lines into lines for people: time, level, message, the other fields, and a stack if there is one. */
export function prettyStream(out: NodeJS.WritableStream): DestinationStream {
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
