import { examineFile } from '../../../flows/service/examine-file.ts';
import { writeFileAtomic } from '../../../base/files/atomic-file.ts';
import { writeTarget } from '../../../flows/service/flow-files.ts';
import { fixFlow } from './fix-flow.ts';
import { type ExitCode, type Io, count, writeJson } from '../io.ts';
import {
  createClaims,
  createExamine,
  findFlowFiles,
  type LoadedFile,
  loadFlowFiles,
} from '../local/load-flow-files.ts';
import {
  countProblems,
  type FileProblems,
  listProblems,
  problemLines,
  summary,
} from '../show/print-problems.ts';
import { openProject, type Project, withCode } from '../local/project.ts';

export interface CheckOptions {
  readonly paths: readonly string[];
  readonly fix: boolean;
  readonly json: boolean;
}

interface FixedFile {
  readonly file: string;
  /** The titles of the applied fixes. */
  readonly fixes: readonly string[];
}

/** `weft check`: lists all problems within and between files. Exit code 1 if there is an error. */
export async function check(options: CheckOptions, io: Io): Promise<ExitCode> {
  const files = findFlowFiles(options.paths, io.cwd);
  const project = await withCode(await openProject(io), files);
  const loaded = loadFlowFiles(files, project);
  const fixed = options.fix ? await fixFiles(loaded, project) : [];
  const checked = fixed.length > 0 ? loadFlowFiles(files, project) : loaded;
  const found = checked.map(({ file, problems }) => ({ file: file.shown, problems }));
  if (options.json) writeReport(io, found, fixed);
  else printReport(io, found, fixed);
  return countProblems(found).errors > 0 ? 1 : 0;
}

/** Fixes concern a single file, so each file is corrected independently of the others. */
async function fixFiles(loaded: readonly LoadedFile[], project: Project): Promise<FixedFile[]> {
  const examine = createExamine(project, createClaims());
  const fixed: FixedFile[] = [];
  for (const { file, content, examined } of loaded) {
    if (file.code) continue;
    const { text, applied } = fixFlow(examined, (changed) =>
      examineFile(examine, file, { ...content, bytes: Buffer.from(changed) }),
    );
    if (applied.length === 0) continue;
    await writeFileAtomic(writeTarget(file.path), text);
    fixed.push({ file: file.shown, fixes: applied.map(({ title }) => title) });
  }
  return fixed;
}

function printReport(io: Io, found: readonly FileProblems[], fixed: readonly FixedFile[]): void {
  for (const { file, fixes } of fixed)
    for (const title of fixes) io.stdout.write(`${file}: fixed: ${title}\n`);
  for (const line of found.flatMap(problemLines)) io.stdout.write(`${line}\n`);
  const fixCount = fixed.reduce((n, { fixes }) => n + fixes.length, 0);
  const fixedText = fixCount === 0 ? '' : `${count(fixCount, 'problem')} fixed. `;
  io.stdout.write(`${fixedText}${summary(found)}\n`);
}

function writeReport(io: Io, found: readonly FileProblems[], fixed: readonly FixedFile[]): void {
  const { errors, warnings } = countProblems(found);
  writeJson(io, { files: found.length, errors, warnings, fixed, problems: listProblems(found) });
}
