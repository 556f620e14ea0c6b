/** The parts of its process that a command may use; tests pass in their own. */
export interface Io {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Absolute; relative paths start here, and files are shown relative to it. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Loads the server of `weft serve`; undefined if commands are called without it. */
  readonly loadServer?: (() => Promise<{ main(args: readonly string[]): Promise<void> }>) | undefined;
  /** Aborted when the user asks to stop (Ctrl-C). Until the first call, signals end the process as usual. */
  stopSignal(): AbortSignal;
}

export interface Output {
  write(text: string): unknown;
}

/** 0: ok. 1: problems, or a run that failed. 2: the command was used wrongly. */
export type ExitCode = 0 | 1 | 2;

/** The command was used wrongly and cannot start; shown without a stack, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Writes one JSON document to standard output, the only output there of a command with `--json`. */
export function writeJson(io: Io, value: unknown): void {
  io.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

export function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}

/** Text from files and requests, without the control characters that a terminal would interpret; line breaks stay. */
export function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex -- this matches control characters on purpose
  return text.replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g, ' ');
}
