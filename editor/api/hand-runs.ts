import type { NodeOutputs, RunLine } from '#shared/api.ts';
import { ApiError, post } from './client.ts';

/** A run to start by hand: of a flow, whole or in part, or of what an earlier run has not done. */
export type HandStart =
  | {
      readonly flow: string;
      readonly draft: boolean;
      readonly trigger?: string | undefined;
      readonly input?: unknown;
      /** Whether pinned outputs are used; they are by default. */
      readonly pins?: boolean;
      /** The earlier run whose outputs stand in for nodes that need not run. */
      readonly reuse?: string;
      /** This node and what it needs, or this node and what depends on it. */
      readonly only?: string;
      readonly round?: string | undefined;
      readonly from?: string;
    }
  | { readonly fork: string; readonly outputs?: NodeOutputs | undefined };

/**
 * Starts a run and yields what it says, as it comes. `allowWrites` are nodes that may change something outside although nobody
 * requested them. Throws `ApiError`: a refusal, or `answer_broken` if the connection is lost before the end.
 */
export async function* startByHand(
  start: HandStart,
  allowWrites: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<RunLine, void, void> {
  const allowed = allowWrites.length > 0 && { allowWrites };
  const [response, { RunLine: Line }] = await Promise.all([
    post(pathOf(start), { ...bodyOf(start), stream: true, ...allowed }, signal),
    import('#shared/run-api.ts'),
  ]);
  let isOver = false;
  for await (const text of linesOf(response)) {
    const line = Line.parse(JSON.parse(text));
    isOver ||= line.kind === 'ended';
    yield line;
  }
  if (!isOver) throw new ApiError('answer_broken', 'The connection was lost before the run had ended.', 0);
}

function pathOf(start: HandStart): string {
  return 'fork' in start
    ? `/api/v1/runs/${encodeURIComponent(start.fork)}/fork`
    : `/api/v1/flows/${encodeURIComponent(start.flow)}/run`;
}

function bodyOf(start: HandStart): object {
  if ('fork' in start) return { draft: true, outputs: start.outputs };
  const { flow: _, ...body } = start;
  return body;
}

/** With a reader, since not all browsers can iterate over a stream. */
async function* linesOf({ body }: Response): AsyncGenerator<string, void, void> {
  if (!body) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      const lines = (rest + next.value).split('\n');
      rest = lines.pop() ?? '';
      yield* lines.filter((line) => line !== '');
    }
  } finally {
    await reader.cancel();
  }
}
