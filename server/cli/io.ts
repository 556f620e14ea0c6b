/** What a command may use of its process; tests hand in their own. */
export interface Io {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Absolute; relative paths start here, and files are shown relative to it. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Loads the server of `weft serve`; there is none where commands are called by themselves. */
  readonly loadServer?: (() => Promise<{ main(args: readonly string[]): Promise<void> }>) | undefined;
  /** Aborted when the user asks to stop (Ctrl-C). Signals end the process by themselves until this is called first. */
  stopSignal(): AbortSignal;
}

export interface Output {
  write(text: string): unknown;
}

/** 0: ok. 1: problems, or a run that failed. 2: the command was used wrongly. */
export type ExitCode = 0 | 1 | 2;

/** The command cannot begin as it was called; shown without a stack, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** One JSON document on standard output, which is all that a command with `--json` writes there. */
export function writeJson(io: Io, value: unknown): void {
  io.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

export function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}

/** Text from files and requests without the characters that a terminal would act on; line breaks stay. */
export function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what this is about
  return text.replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g, ' ');
}
