import { type CodeFlow, extendRegistry, type Operator, type Registry } from '#engine';
import { formatFlow } from '#engine/check';
import type { Problem } from '#shared/problem.ts';
import { type Examine, type Examined, unparsed } from './examine.ts';
import { type FileContent, type FlowFile, readFlowFile } from './flow-files.ts';
import type { Fault } from '../../base/authored/fault.ts';

/** A loaded file with a code-first flow: the flow, or the problem of the file. */
export interface LoadedCode {
  readonly file: FlowFile;
  readonly content: FileContent;
  readonly code?: CodeFlow;
  readonly problem?: Problem;
}

const LOAD_TIMEOUT_MS = 10_000;

/**
 * Loads code-first flows, each first in another process with a time limit (in milliseconds). Files that were removed
 * meanwhile are skipped; a broken one is included with its problem.
 */
export async function loadCodeFlows(
  files: readonly FlowFile[],
  timeoutMs: number = LOAD_TIMEOUT_MS,
): Promise<LoadedCode[]> {
  if (files.length === 0) return [];
  const [{ readCodeFlow }, { probeFiles }, { faultOf }, { within }] = await Promise.all([
    import('../../base/authored/kinds.ts'),
    import('../../base/authored/probe.ts'),
    import('../../base/authored/fault.ts'),
    import('../../base/authored/within.ts'),
  ]);
  const read = files.flatMap((file) => {
    const content = readFlowFile(file.path);
    return content ? [{ file, content }] : [];
  });
  const authored = read.map(({ file, content }) => ({
    kind: 'flow' as const,
    path: file.path,
    name: file.id,
    version: content.hash,
  }));
  const faults = await probeFiles(authored, timeoutMs);
  return await Promise.all(
    read.map(async ({ file, content }, i): Promise<LoadedCode> => {
      const fault = faults.get(i);
      if (fault) return { file, content, problem: problemOf(fault) };
      try {
        const code = await within(timeoutMs, readCodeFlow(authored[i] as (typeof authored)[number]));
        return { file, content, code };
      } catch (error) {
        return { file, content, problem: problemOf(faultOf(error, file.path)) };
      }
    }),
  );
}

function problemOf({ message, line, column }: Fault): Problem {
  return {
    code: 'broken-code',
    severity: 'error',
    message,
    ...(line !== undefined && { line }),
    ...(column !== undefined && { column }),
  };
}

/** A registry that also knows the operators of the flows' inline functions. */
export function withInline(registry: Registry, flows: readonly LoadedCode[]): Registry {
  const operators = flows.flatMap(({ code }): [string, Operator][] => (code ? [...code.operators] : []));
  return operators.length === 0 ? registry : extendRegistry(registry, new Map(operators));
}

/** Examines a code-first flow as if its text were in a file. */
export function examineCode(examine: Examine, { file, content, code, problem }: LoadedCode): Examined {
  if (!code) return unparsed(content.bytes ?? '', problem ? [problem] : []);
  return withoutPlaces(examine(file.id, formatFlow(code.flow)));
}

/** Removes lines and columns: those of the generated text mean nothing to the author of the code. */
export function withoutPlaces(examined: Examined): Examined {
  return { ...examined, problems: examined.problems.map(({ line: _, column: __, ...rest }) => rest) };
}
