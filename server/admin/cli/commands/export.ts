import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { flowObject } from '../../../flows/awel/flow-object.ts';
import { writeFileAtomic } from '../../../base/files/atomic-file.ts';
import { layoutPath, readLayout } from '../../../flows/service/flow-files.ts';
import { findFlow } from '../local/find-flow.ts';
import { type ExitCode, type Io, UsageError } from '../io.ts';
import { loadFlowFiles } from '../local/load-flow-files.ts';
import { problemLines } from '../show/print-problems.ts';
import { openProject, withCode } from '../local/project.ts';

export interface ExportOptions {
  /** Id of a flow in the flows folder, or a flow file. */
  readonly flow: string;
  /** File to write; undefined: standard output. */
  readonly out: string | undefined;
}

/** `weft export`: writes a flow with its layout in DB-GPT's JSON. Exit code 1 if the file is not a valid flow. */
export async function exportFile({ flow: name, out }: ExportOptions, io: Io): Promise<ExitCode> {
  const opened = await openProject(io);
  const file = findFlow(name, opened, io);
  const project = await withCode(opened, [file]);
  const [loaded] = loadFlowFiles([file], project);
  const flow = loaded?.examined.flow;
  if (!loaded || !flow) {
    const problems = loaded?.problems ?? [];
    io.stderr.write(
      problemLines({ file: file.shown, problems })
        .map((line) => `${line}\n`)
        .join(''),
    );
    return 1;
  }
  const { mtime } = statSync(file.path);
  const { problems, examined } = loaded;
  const { id, name: shown, description } = flow;
  const facts = { id, name: shown, description, problems, triggers: examined.triggers, readOnly: false };
  const about = { ...facts, state: 'draft', updatedAt: mtime.toISOString(), file: file.shown } as const;
  const layout = await readLayout(layoutPath(file.path));
  const object = flowObject(about, flow, layout, project.registry.catalog);
  await write(`${JSON.stringify({ flow: object }, null, 2)}\n`, out, io);
  return 0;
}

async function write(text: string, out: string | undefined, io: Io): Promise<void> {
  if (out === undefined) {
    io.stdout.write(text);
    return;
  }
  const path = resolve(io.cwd, out);
  if (statSync(path, { throwIfNoEntry: false }))
    throw new UsageError(`${out} already exists; choose another name, or remove it.`);
  await writeFileAtomic(path, text);
  io.stderr.write(`wrote ${out}\n`);
}
