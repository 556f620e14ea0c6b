import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { RuleResult } from './check-contract.ts';
import type { Fault } from './fault.ts';
import type { AuthoredFile } from './kinds.ts';

/** A message of the child: that it starts a file, or the file's fault (none, if `fault` is omitted). */
export type ProbeMessage =
  | { readonly begins: number }
  | { readonly of: number; readonly result: RuleResult }
  | { readonly ended: number; readonly fault?: Fault };

const child = fileURLToPath(new URL('./probe-child.ts', import.meta.url));

/**
 * Loads files in a separate process first, so that a file that never ends, ends the process or crashes it affects
 * only itself. Returns the fault of each faulty file, by its index in the list. One process tries all files; if a
 * file ends it, another process continues with the next.
 */
export async function probeFiles(
  files: readonly AuthoredFile[],
  timeoutMs: number,
  onResult: (of: number, result: RuleResult) => void = () => {},
): Promise<ReadonlyMap<number, Fault>> {
  const faults = new Map<number, Fault>();
  let from = 0;
  while (from < files.length) from = await probeFrom(files, from, { timeoutMs, faults, onResult });
  return faults;
}

interface Probing {
  readonly timeoutMs: number;
  readonly faults: Map<number, Fault>;
  readonly onResult: (of: number, result: RuleResult) => void;
}

/** Returns the index of the first file that was not tried. */
function probeFrom(
  files: readonly AuthoredFile[],
  from: number,
  { timeoutMs, faults, onResult }: Probing,
): Promise<number> {
  const process_ = start();
  let at = from;
  let began = false;
  let timer: NodeJS.Timeout | undefined;
  return new Promise((resolve, reject) => {
    const fail = (fault: Fault): void => {
      if (!faults.has(at)) faults.set(at, fault);
    };
    process_.on('message', (message: ProbeMessage) => {
      if ('result' in message) return onResult(message.of, message.result);
      clearTimeout(timer);
      if ('begins' in message) {
        at = message.begins;
        began = true;
        timer = setTimeout(() => {
          fail({
            message: `It did not ${files[at]?.kind === 'contract' ? 'end' : 'load'} within ${timeoutMs} ms.`,
          });
          process_.kill('SIGKILL');
        }, timeoutMs);
      } else {
        if (message.fault) fail(message.fault);
        at = message.ended + 1;
      }
    });
    // Its last message may still be on its way when the process is gone.
    const gone = [once(process_, 'exit'), once(process_, 'disconnect')] as const;
    Promise.all(gone).then(([[code, signal]]) => {
      clearTimeout(timer);
      const how = (signal as string | null) ?? `exit code ${code}`;
      if (!began) return reject(new Error(`The process that tries files out did not start (${how}).`));
      if (at < files.length) fail({ message: `It ended the process (${how}) while it was loaded.` });
      resolve(at + 1);
    }, reject);
    process_.send({ files, from });
  });
}

function start(): ChildProcess {
  return spawn(process.execPath, ['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON', child], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
}
