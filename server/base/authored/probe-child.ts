import { enableCompileCache } from 'node:module';
import type { Fault } from './fault.ts';
import type { AuthoredFile } from './kinds.ts';
import type { ProbeMessage } from './probe.ts';

// Before the engine is imported, which is most of the work of this process.
enableCompileCache();

/** The process of `probe.ts`: loads each file and reports the result. */
process.once('message', ({ files, from }: { files: readonly AuthoredFile[]; from: number }) => {
  void probe(files, from);
});
// Without a parent to report to, there is nothing to do.
process.once('disconnect', () => process.exit(0));

async function probe(files: readonly AuthoredFile[], from: number): Promise<void> {
  // Before the time of the first file starts.
  await import('./kinds.ts');
  for (const [i, file] of files.entries()) {
    if (i < from) continue;
    await send({ begins: i });
    const fault = await faultIn(file, i);
    await send({ ended: i, ...(fault && { fault }) });
  }
  process.exit(0);
}

async function faultIn(file: AuthoredFile, of: number): Promise<Fault | undefined> {
  const { readCodeFlow, readOperator } = await import('./kinds.ts');
  const { faultOf } = await import('./fault.ts');
  try {
    if (file.kind === 'flow') await readCodeFlow(file);
    else if (file.kind === 'operator') await readOperator(file);
    else await holdToContract(file, of);
    return undefined;
  } catch (error) {
    return faultOf(error, file.path);
  }
}

/** Imported only here, because most of these processes do not check the contract. */
async function holdToContract(file: AuthoredFile, of: number): Promise<void> {
  const { checkContract } = await import('./check-contract.ts');
  await checkContract(file, (result) => send({ of, result }));
}

/** Resolves when the message was handed over, so that a file which then blocks the process cannot hold it back. */
function send(message: ProbeMessage): Promise<void> {
  return new Promise((resolve) => process.send?.(message, undefined, undefined, () => resolve()));
}
