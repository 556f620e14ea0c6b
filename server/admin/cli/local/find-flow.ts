import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type FlowFile, scanCodeFiles, scanFlowFiles } from '../../../flows/service/flow-files.ts';
import { nearest } from '../../../base/errors/nearest.ts';
import { type Io, UsageError } from '../io.ts';
import { findFlowFiles, shownPath } from './load-flow-files.ts';
import type { Project } from './project.ts';

/** The flow file at this path, or the file of the flow with this id in the flows folders. */
export function findFlow(name: string, { config }: Project, { cwd }: Io): FlowFile {
  const isPath = /\.(?:json|ts)$/.test(name) || name.includes('/');
  if (isPath || statSync(resolve(cwd, name), { throwIfNoEntry: false })?.isFile()) return onlyFile(name, cwd);
  const code = config.codeFlows ? scanCodeFiles(config.flows) : [];
  const files = [...code, ...scanFlowFiles(config.flows)];
  const found = files.find(({ id }) => id === name);
  if (found) return { ...found, shown: shownPath(cwd, found.path) };
  const close = nearest(
    name,
    files.map(({ id }) => id),
  );
  const hint = close === undefined ? '' : ` Did you mean ${close}?`;
  const folders = config.flows.map((folder) => shownPath(cwd, folder)).join(', ');
  throw new UsageError(`There is no flow ${name} in ${folders}.${hint}`);
}

function onlyFile(path: string, cwd: string): FlowFile {
  const [file, ...others] = findFlowFiles([path], cwd);
  if (file && others.length === 0) return file;
  throw new UsageError(`${path} is a folder with several flows; name one of its files.`);
}
