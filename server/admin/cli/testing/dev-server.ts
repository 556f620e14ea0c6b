import { runCli } from '../program.ts';
import type { TempProject } from './temp-project.ts';
import { type TestIo, testIo } from './test-io.ts';

/** `weft dev` in this process, on a free port. */
export interface DevServer {
  readonly url: string;
  readonly io: TestIo;
  /** Calls a trigger. */
  call(path: string, init?: RequestInit): Promise<Response>;
  /** Resolves when dev mode has printed a match after the last awaited one. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  /** Asks dev mode to stop; resolves to the exit code. */
  stop(): Promise<unknown>;
}

export async function startDev(
  project: TempProject,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<DevServer> {
  const io = testIo(project.folder, { env });
  const ended = runCli(['dev', '--port', '0', ...args], io);
  const early = ended.then((code) => {
    throw new Error(`dev ended with ${String(code)}: ${io.stderr.text}`);
  });
  const listening = io.stdout.next(/(?:serves on |"listening","url":")(http:[^\s;"]+)/);
  const [, url = ''] = await Promise.race([listening, early]);
  early.catch(() => undefined);
  return {
    url,
    io,
    call: (path, init) => fetch(`${url}/api/v1/awel/trigger${path}`, init),
    printed: (pattern) => io.stdout.next(pattern),
    stop() {
      io.stop();
      return ended;
    },
  };
}
