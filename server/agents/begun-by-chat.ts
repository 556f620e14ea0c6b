import { CHAT_TRIGGER } from './tools/flow-tool.ts';
import type { LiveFlow, RunHub } from '../context.ts';

/** Says of a run whether a chat began it: what then stands in its input of who asks was written by the server. */
export type BegunByChat = (run: string) => Promise<boolean>;

/**
 * Of runs that others started the first one counts. What comes over HTTP is the caller's word, who could name the key of
 * somebody else.
 */
export function begunByChat(
  runs: Pick<RunHub, 'get'>,
  live: (id: string) => LiveFlow | undefined,
): BegunByChat {
  return async (run) => {
    let row = await runs.get(run);
    while (row?.parent !== undefined) row = await runs.get(row.parent);
    if (row === undefined) return false;
    return row.source === 'chat' || live(row.flow)?.flow.nodes[row.trigger]?.operator === CHAT_TRIGGER;
  };
}
