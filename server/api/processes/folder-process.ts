import { join } from 'node:path';
import type { FlowMirror } from '../../flows/service/mirrored-flows.ts';
import type { LiveFlow } from '../../flows/service/flow-types.ts';

/** One of several processes that serve from one data folder (docs/decisions/0051-processes-of-a-data-folder.md). */
export type FolderProcess = {
  /** The socket on which the first process accepts requests passed on by the others. */
  readonly socket: string;
} & (
  | { readonly isFirst: true; readonly mirror: FlowMirror }
  | {
      readonly isFirst: false;
      /** Whether the first process serves this version. */
      isCurrent(flow: Pick<LiveFlow, 'id' | 'version'>): boolean;
    }
);

/** The socket of the first process, in the configured data folder. */
export function firstSocket(data: string): string {
  return join(data, 'process-1', 'weft-first.sock');
}
