import type { CodeFlow } from '#engine';
import { contentHash } from '../../../base/files/content-hash.ts';
import { serveFlows } from './dev.ts';
import { leave, processIo } from '../process-io.ts';
import { failure } from '../failure.ts';
import { addCode } from '../local/project.ts';

export interface ServeAlone {
  /** The file that contains the flow. */
  readonly path: string;
  readonly shown: string;
  readonly port: number;
  readonly host: string;
}

/** Serves one code-first flow from its own process until Ctrl-C, then ends the process. */
export async function serveAlone(code: CodeFlow, { path, shown, port, host }: ServeAlone): Promise<void> {
  const io = processIo();
  const file = { id: code.id, path, shown, rank: '', code: true as const };
  const content = { bytes: undefined, failure: undefined, hash: contentHash(path), modifiedAt: 0, size: 0 };
  const options = { files: [file], vars: [], json: false, watch: false, port, host };
  try {
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
