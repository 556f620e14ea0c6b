import type { Io, Output } from '../io.ts';

/** Text that a command writes, which a test can wait for. */
export interface Recorded extends Output {
  readonly text: string;
  /**
   * Resolves to the match once the text after the last awaited match has one, so that earlier output cannot be taken
   * for later output.
   */
  next(pattern: RegExp): Promise<RegExpExecArray>;
}

export interface TestIo extends Io {
  readonly stdout: Recorded;
  readonly stderr: Recorded;
  /** Like Ctrl-C. */
  stop(): void;
}

export function testIo(cwd: string, more: { env?: Record<string, string>; stdin?: string } = {}): TestIo {
  const controller = new AbortController();
  return {
    stdout: recorded(),
    stderr: recorded(),
    stdin: chunks(more.stdin ?? ''),
    cwd,
    env: more.env ?? {},
    stopSignal: () => controller.signal,
    stop: () => controller.abort(),
  };
}

async function* chunks(text: string): AsyncGenerator<Uint8Array> {
  // In two chunks, as a pipe may deliver it.
  const bytes = Buffer.from(text);
  yield bytes.subarray(0, 3);
  yield bytes.subarray(3);
}

export function recorded(): Recorded {
  let text = '';
  let read = 0;
  let look: (() => void) | undefined;
  return {
    get text() {
      return text;
    },
    write(part) {
      text += part;
      look?.();
    },
    next: (pattern) =>
      new Promise((resolve) => {
        look = () => {
          const match = pattern.exec(text.slice(read));
          if (!match) return;
          read += match.index + match[0].length;
          look = undefined;
          resolve(match);
        };
        look();
      }),
  };
}
