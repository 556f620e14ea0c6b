import { applyEdits, modify, type Node, parseTree } from 'jsonc-parser';
import { decodeUtf8, formatFlow, parse } from '#engine/check';
import type { Problem } from '#shared/problem.ts';
import { writeFileAtomic } from '../../../base/files/atomic-file.ts';
import { examineFile } from '../../../flows/service/examine-file.ts';
import { unparsed } from '../../../flows/service/examine.ts';
import { type FlowFile, readFlowFile, writeTarget } from '../../../flows/service/flow-files.ts';
import { count, type ExitCode, type Io, writeJson } from '../io.ts';
import { findFlowFiles } from '../local/load-flow-files.ts';
import { listProblems, problemLines } from '../show/print-problems.ts';

export interface FmtOptions {
  readonly paths: readonly string[];
  /** List the files that would change, and write nothing. */
  readonly check: boolean;
  readonly json: boolean;
  /** Write the files in this format, if they are in an older one. */
  readonly format?: 2 | undefined;
}

interface Formatted {
  readonly file: string;
  /** `changed`: the file was written, or would be without `check`. `broken`: it does not parse and stays unchanged. */
  readonly state: 'unchanged' | 'changed' | 'broken';
  readonly problems: readonly Problem[];
}

/** `weft fmt`: makes flow files canonical. Exit code 1 if a file does not parse, or with `check` is not canonical. */
export async function fmt(options: FmtOptions, io: Io): Promise<ExitCode> {
  const results: Formatted[] = [];
  for (const file of findFlowFiles(options.paths, io.cwd, 'json'))
    results.push(await formatFile(file, options));
  if (options.json) {
    const files = results.map(({ file, state }) => ({ file, state }));
    writeJson(io, { files, problems: listProblems(results) });
  } else printResults(io, results, options.check);
  const bad = options.check ? ['broken', 'changed'] : ['broken'];
  return results.some(({ state }) => bad.includes(state)) ? 1 : 0;
}

async function formatFile(file: FlowFile, { check, format }: FmtOptions): Promise<Formatted> {
  const content = readFlowFile(file.path);
  const bytes = content?.bytes;
  if (!content || !bytes) return { file: file.shown, state: 'broken', problems: unreadable(file, content) };
  const { flow, problems } = parse(format === undefined ? bytes : inFormat(bytes, format));
  if (!flow) return { file: file.shown, state: 'broken', problems };
  const canonical = Buffer.from(formatFlow(flow));
  if (canonical.equals(bytes)) return { file: file.shown, state: 'unchanged', problems: [] };
  if (!check) await writeFileAtomic(writeTarget(file.path), canonical);
  return { file: file.shown, state: 'changed', problems: [] };
}

/** The text with a newer format in place of an older one. */
function inFormat(bytes: Uint8Array, format: number): string | Uint8Array {
  const text = decodeUtf8(bytes);
  const given: unknown = text && parseTree(text)?.children?.find(isFormat)?.children?.[1]?.value;
  if (text === undefined || typeof given !== 'number' || given >= format) return bytes;
  return applyEdits(text, modify(text, ['format'], format, {}));
}

function isFormat({ children }: Node): boolean {
  return children?.[0]?.value === 'format';
}

/** Undefined content: the file was removed after its folder was listed. */
function unreadable(file: FlowFile, content: ReturnType<typeof readFlowFile>): readonly Problem[] {
  const gone = { bytes: undefined, failure: 'ENOENT', hash: '', modifiedAt: 0, size: 0 };
  return examineFile(() => unparsed('', []), file, content ?? gone).problems;
}

function printResults(io: Io, results: readonly Formatted[], checked: boolean): void {
  const changed = results.filter(({ state }) => state === 'changed');
  for (const { file } of changed) io.stdout.write(`${file}${checked ? ' is not canonical' : ''}\n`);
  for (const line of results.flatMap(problemLines)) io.stdout.write(`${line}\n`);
  const broken = results.filter(({ state }) => state === 'broken').length;
  const outcome = checked ? 'not canonical' : 'formatted';
  const skipped = broken > 0 ? `, ${broken} left as ${broken === 1 ? 'it is' : 'they are'}` : '';
  io.stdout.write(`${changed.length} of ${count(results.length, 'file')} ${outcome}${skipped}.\n`);
}
