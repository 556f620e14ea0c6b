import { statSync } from 'node:fs';
import { basename, dirname, relative, resolve, sep } from 'node:path';
import { compiling } from '#engine';
import { routeKey } from '#engine/check';
import type { Problem } from '#shared/problem.ts';
import { expressionTools } from '../../../base/adapters/expression-tools.ts';
import { examineCode } from '../../../flows/service/code-flows.ts';
import { type FindFlow, signatureOf } from '../../../flows/service/called-flows.ts';
import { newEntry, recordOf, shadowedRecords } from '../../../flows/service/entry.ts';
import { examineFile } from '../../../flows/service/examine-file.ts';
import { createExaminer, type Examine, type Examined } from '../../../flows/service/examine.ts';
import {
  codeFileAt,
  type FileContent,
  type FlowFile,
  flowFileAt,
  isFlowFileName,
  readFlowFile,
  scanCodeFiles,
  scanFlowFiles,
} from '../../../flows/service/flow-files.ts';
import { type RoutePlace, routesOf } from '../../../flows/service/trigger-routes.ts';
import { UsageError } from '../io.ts';
import type { Project } from './project.ts';
import { secretNames, unknownSecrets } from './unknown-secrets.ts';

/** A flow file, read and checked together with the other given files. */
export interface LoadedFile {
  readonly file: FlowFile;
  readonly content: FileContent;
  readonly examined: Examined;
  /** All problems, including those between files. */
  readonly problems: readonly Problem[];
  /** An earlier file has the same id. */
  readonly shadowed: boolean;
}

/** Files next to flows that are not flows; a shell's `*.json` matches them too. */
const BESIDE_FLOWS = /\.(?:layout|test|eval)\.json$/;

/**
 * The flow files at these paths or in these folders, each once. `shown` is relative to `cwd`. With `json`, flows in
 * code are skipped.
 */
export function findFlowFiles(
  paths: readonly string[],
  cwd: string,
  kinds: 'all' | 'json' = 'all',
): FlowFile[] {
  const found = new Map<string, FlowFile>();
  const find = kinds === 'all' ? filesAt : jsonFilesAt;
  for (const path of paths) for (const file of find(resolve(cwd, path), path)) found.set(file.path, file);
  if (found.size === 0) throw new UsageError(`There are no flow files in \`${paths.join(', ')}\`.`);
  return [...found.values()].map((file) => ({ ...file, shown: shownPath(cwd, file.path) }));
}

function filesAt(path: string, given: string): FlowFile[] {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory()) return [...scanCodeFiles([path]), ...jsonFilesAt(path, given)];
  const code = stats && codeFileAt([dirname(path)], path);
  return code ? [code] : jsonFilesAt(path, given);
}

function jsonFilesAt(path: string, given: string): FlowFile[] {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) throw new UsageError(`There is no file or folder ${given}.`);
  if (stats.isDirectory()) return scanFlowFiles([path]);
  if (BESIDE_FLOWS.test(path)) return [];
  const file = flowFileAt([dirname(path)], path);
  if (!file || !isFlowFileName(basename(path))) {
    throw new UsageError(`${given} is not a flow file: its name must end in .json.`);
  }
  return [file];
}

/** The path relative to `cwd`, with `/`. */
export function shownPath(cwd: string, path: string): string {
  return relative(cwd, path).split(sep).join('/') || '.';
}

/** The contents of the files, checked one by one and against each other. A file that was just removed is skipped. */
export function loadFlowFiles(files: readonly FlowFile[], project: Project): LoadedFile[] {
  const claims = createClaims();
  const examine = createExamine(project, claims);
  const read = files.flatMap((file) => {
    const code = project.code.get(file.path);
    if (code) return [{ file, content: code.content, examined: examineCode(examine, code) }];
    const content = file.code ? undefined : readFlowFile(file.path);
    return content ? [{ file, content, examined: examineFile(examine, file, content) }] : [];
  });
  for (const { file, examined } of read) claims.add(file.id, examined);
  // Only now all routes and callable flows are known.
  const examineAgain = createExamine(project, claims, findAmong(read, project));
  const judged = read.map((one) => {
    if (!claims.clash(one.file.id, one.examined) && one.examined.calls.length === 0) return one;
    const code = project.code.get(one.file.path);
    const examined = code
      ? examineCode(examineAgain, code)
      : examineFile(examineAgain, one.file, one.content);
    return { ...one, examined };
  });
  return withDoubles(judged, project);
}

/** Checks a text as `loadFlowFiles` does; `conflict` returns the other flow that wants a path. */
export function createExamine(
  project: Project,
  triggers: Pick<Claims, 'conflict'>,
  find?: FindFlow,
): Examine {
  return createExaminer({
    registry: project.registry,
    tools: expressionTools(project.config.timezone),
    compiling,
    triggers,
    variables: { snapshot: () => project.variables.values },
    called: { find },
  });
}

/** Finds flows among those that were read, then among those in the flows folders. */
function findAmong(read: readonly Read[], project: Project): FindFlow {
  const known = new Map(read.map(({ file, examined }) => [file.id, examined]));
  let others: ReadonlySet<string> | undefined;
  return (id) => {
    const examined = known.get(id);
    if (examined?.flow)
      return signatureOf(id, { ...examined, flow: examined.flow }, project.registry.catalog);
    if (examined) return { id };
    others ??= new Set(scanFlowFiles(project.config.flows).map((file) => file.id));
    return others.has(id) ? { id } : undefined;
  };
}

type Read = Pick<LoadedFile, 'file' | 'content' | 'examined'>;

/** Adds the server's problems for files with the same id: only the first of them serves. */
function withDoubles(read: readonly Read[], project: Project): LoadedFile[] {
  const byId = Map.groupBy(read, ({ file }) => file.id);
  const secrets = secretNames(project.config);
  return read.map((one) => {
    const same = byId.get(one.file.id) as Read[];
    const at = same.indexOf(one);
    const stored = { hash: one.content.hash, modifiedAt: 0, examined: one.examined };
    const entry = { ...newEntry(one.file.id), files: same.map(({ file }) => file), file: stored };
    const record = at === 0 ? recordOf(entry, true) : shadowedRecords(entry)[at - 1];
    const own = at === 0 ? [] : one.examined.problems;
    const problems = [...own, ...(record?.problems ?? [])].filter((problem) => isKnown(problem, project));
    const { source } = one.examined;
    problems.push(...unknownSecrets({ id: one.file.id, source }, project.registry.catalog, secrets));
    return { ...one, problems, shadowed: at > 0 };
  });
}

/** Without a data folder the existing variables are unknown. */
export function isKnown(problem: Problem, { variables }: Pick<Project, 'variables'>): boolean {
  return variables.known || problem.code !== 'unknown-variable';
}

type ClaimedRoute = Pick<RoutePlace, 'path' | 'methods'>;

/** The paths and methods that flows want. */
export interface Claims {
  add(id: string, examined: Examined): void;
  clash(id: string, examined: Examined): boolean;
  conflict(
    id: string,
    routes: readonly ClaimedRoute[],
  ): { flow: string; path: string; method: string } | undefined;
}

export function createClaims(): Claims {
  const owners = new Map<string, Set<string>>();
  const conflict: Claims['conflict'] = (id, routes) => {
    for (const { key, path, method } of routes.flatMap(placesOf)) {
      const flow = [...(owners.get(key) ?? [])].find((owner) => owner !== id);
      if (flow !== undefined) return { flow, path, method };
    }
    return undefined;
  };
  return {
    add(id, examined) {
      for (const { key } of routesOf(examined.triggers).flatMap(placesOf)) {
        const known = owners.get(key);
        if (known) known.add(id);
        else owners.set(key, new Set([id]));
      }
    },
    clash: (id, examined) => conflict(id, routesOf(examined.triggers)) !== undefined,
    conflict,
  };
}

/** A route split by method; entries with the same key match the same requests. */
function placesOf({ path, methods }: ClaimedRoute): { key: string; path: string; method: string }[] {
  return methods.map((method) => ({ key: `${method} ${routeKey(path)}`, path, method }));
}
