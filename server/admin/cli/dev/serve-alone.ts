import { parseArgs } from 'node:util';
import type { CodeFlow } from '#engine';
import { contentHash } from '../../../base/files/content-hash.ts';
import { serveFlows } from './dev.ts';
import { UsageError } from '../io.ts';
import { leave, processIo } from '../process-io.ts';
import { failure } from '../failure.ts';
import { addCode } from '../local/project.ts';

export interface ServeAlone {
  /** The file that contains the flow. */
  readonly path: string;
  readonly shown: string;
  readonly port: number;
  readonly host: string;
  /** Arguments of the program; it handles all except `--port` and `--host` itself. */
  readonly args: readonly string[];
}

/** Serves one code-first flow from its own process until Ctrl-C, then ends the process. */
export async function serveAlone(code: CodeFlow, { path, shown, args, ...given }: ServeAlone): Promise<void> {
  const io = processIo();
  const file = { id: code.id, path, shown, rank: '', code: true as const };
  const content = { bytes: undefined, failure: undefined, hash: contentHash(path), modifiedAt: 0, size: 0 };
  try {
    const options = { files: [file], vars: [], json: false, watch: false, ...given, ...addressIn(args) };
    await leave(
      await serveFlows(
        { ...options, read: async (project) => addCode(project, [{ file, content, code }]) },
        io,
      ),
    );
  } catch (error) {
    await leave(failure(error, io));
  }
}

/** The address in the command line. Throws a `UsageError`. */
function addressIn(args: readonly string[]): Partial<Pick<ServeAlone, 'port' | 'host'>> {
  const options = { port: { type: 'string' }, host: { type: 'string' } } as const;
  const { port, host } = parseArgs({ args: [...args], options, strict: false }).values;
  if (host === true) throw new UsageError('--host needs an address.');
  if (port !== undefined && !isPort(port)) throw new UsageError('--port is a whole number from 0 to 65535.');
  return {
    ...(typeof host === 'string' && { host }),
    ...(typeof port === 'string' && { port: Number(port) }),
  };
}

function isPort(text: unknown): boolean {
  return typeof text === 'string' && /^\d{1,5}$/.test(text) && Number(text) <= 65_535;
}
